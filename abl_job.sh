. /tmp/ms11/env.sh
cd /tmp/ms11
python abl2.py record_tables.py obj 200 > out/a_rt.txt 2>&1
