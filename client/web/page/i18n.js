// Texts in the visitor's language.

/**
 * The name of each language in that language, by its tag. Written by
 * NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-texts
 */
export const LANGUAGES = Object.freeze({
  // begin languages
  en: "English",
  ru: "Русский",
  "zh-hans": "简体中文",
  "zh-hant": "繁體中文",
  // end languages
});

const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/;

/** @typedef {keyof typeof LANGUAGES} Language */

/** @type {Record<string, any>} */
let texts = {};
/** @type {Language} */
let language = "en";
let plurals = new Intl.PluralRules("en");

/**
 * Returns the best language for a list of language tags.
 * @param {readonly string[]} tags
 * @returns {Language}
 */
export function chooseLanguage(tags) {
  for (const tag of tags) {
    const lower = tag.toLowerCase();
    if (lower.startsWith("zh"))
      return !lower.includes("hans") && /hant|tw|hk|mo/.test(lower)
        ? "zh-hant"
        : "zh-hans";
    const found = /** @type {Language[]} */ (Object.keys(LANGUAGES)).find(
      (language) => lower.startsWith(language),
    );
    if (found) return found;
  }
  return "en";
}

/**
 * Loads the texts of a language.
 * @param {Language} wanted
 */
export async function loadLanguage(wanted) {
  const module = await import(`./i18n/${wanted}.js`);
  useTexts(wanted, module.default);
}

/**
 * Loads the texts of the screens that are loaded on demand.
 * @returns {Promise<void>}
 */
export async function loadScreenTexts() {
  const wanted = language;
  const module = await import(`./i18n/screens/${wanted}.js`);
  if (wanted === language) texts = { ...texts, ...module.default };
}

/** @param {Language} wanted @param {Record<string, any>} loaded */
export function useTexts(wanted, loaded) {
  texts = loaded;
  language = wanted;
  plurals = new Intl.PluralRules(wanted);
}

export const currentLanguage = () => language;

/**
 * Returns whether the text of a key is loaded, or whether all texts are loaded. The texts of most
 * screens are loaded with the screens, and a newer server may name keys that the page does not
 * know.
 * @param {string} key
 */
export const hasText = (key) => key in texts || "your_move" in texts;

/**
 * Returns a text with its values. The value `n` selects a plural form.
 * @param {string} key
 * @param {Record<string, any>} [values]
 * @returns {string}
 */
export function text(key, values = {}) {
  // A newer server may have other reject codes.
  const entry =
    texts[key] ?? texts[key.startsWith("reject_") ? "reject_other" : ""] ?? key;
  const form =
    typeof entry === "string"
      ? entry
      : (entry[plurals.select(values.n ?? 0)] ?? entry.other);
  return form.replace(
    /( ?)\{(\w+)\}( ?)/g,
    (
      /** @type {string} */ _whole,
      /** @type {string} */ before,
      /** @type {string} */ name,
      /** @type {string} */ after,
    ) => {
      const value = String(values[name] ?? `{${name}}`);
      if (!language.startsWith("zh")) return before + value + after;
      // A blank separates Latin words from Chinese text. Chinese names are not separated.
      return (
        (WIDE.test(value[0] ?? "") ? "" : before) +
        value +
        (WIDE.test(value.at(-1) ?? "") ? "" : after)
      );
    },
  );
}
