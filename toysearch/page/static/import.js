// A file to import becomes the text of the form, so that it is sent as if it had been pasted.
const file = document.getElementById("file");
document.getElementById("chosen").hidden = false;
file.addEventListener("change", async () => {
  if (file.files.length) document.getElementById("content").value = await file.files[0].text();
});
