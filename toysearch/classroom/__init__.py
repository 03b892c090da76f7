"""What labs, competitions and their grading are made of."""

from __future__ import annotations

from toysearch.base import front

_HOMES = {
    "answers": "Observation Verdict Waiting at_least choice computed function judge number ordered "
    "table text unordered whole",
    "competition.history": "locked now own_numbers same_as",
    "competition.leaderboard": "Leaderboard",
    "competition.leaderboard_page": "Standings result_text visible_part write_board",
    "competition.submission": "Sent Task run_of sent sent_model_file sent_run sent_text",
    "competition.submission_queue": "SubmissionQueue",
    "exercise": "ANYONE Answer Case Draw Exercise Given LESSONS Lesson Mistake Unanswered Unusable "
    "checked_name clean_name individual_number lesson off_by_one seed shifted swapped",
    "grading.feedback_pages": "write_feedback",
    "grading.graded_notebook": "GradedNotebook grade_all notebooks_below same_students without_answers",
    "grading.notebook_run": "ASKED NOTES Notes read_notes readable",
    "grading.roster": "Enrolled HandedIn collect handed_in_by owner read_roster safe_file_name",
    "grading.tutor_marks": "LateRule due_dates marked read_marks strangers",
    "lab_collection": "collection index judged_ids query_values value_of",
    "notebook": "LARGEST begin blank_notebook cells_of code_cells picture plain_content",
    "open_question": "OpenQuestion open_questions question_texts written_answers",
    "sandbox.confined_run": "Confined Limits admit_code ended_cleanly run_confined",
    "session": "SESSION check given hint needs progress start",
    "textbook": "edit_matrix",
    "times": "moment",
}

__getattr__ = front(__name__, _HOMES)
