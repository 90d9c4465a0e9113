// Sets the theme before the first paint, and reloads the page if one of its
// files is missing. This is a classic script, because modules run later.
try {
  const settings =
    JSON.parse(localStorage.getItem("noughts.visitor") || "{}").settings || {};
  if (settings.theme && settings.theme !== "device")
    document.documentElement.dataset.theme = settings.theme;
  const contrast = settings.contrast || "device";
  if (
    contrast === "high" ||
    (contrast === "device" && matchMedia("(prefers-contrast: more)").matches)
  )
    document.documentElement.dataset.contrast = "more";
} catch {
  // Without storage, the page follows the device's theme.
}
// A server at its limit briefly refuses requests for the files of the page: reload later.
addEventListener(
  "error",
  (event) => {
    const isFile =
      event.target instanceof HTMLScriptElement ||
      event.target instanceof HTMLLinkElement;
    if (isFile && !document.querySelector("main#main"))
      setTimeout(() => location.reload(), 2000 + Math.random() * 3000);
  },
  true,
);
