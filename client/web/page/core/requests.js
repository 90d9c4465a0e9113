// Requests that several screens send. Pure.

/** @param {import("./model.js").Choice} choice */
export function seekRequest({ rules, clock, seat }) {
  return {
    type: "seek",
    rules,
    ...(clock ? { clock } : {}),
    ...(seat ? { seat } : {}),
  };
}

/** @param {import("./model.js").Choice} choice @param {boolean} isPublic */
export function createRequest({ rules, clock, seat }, isPublic) {
  return {
    type: "create",
    rules,
    ...(clock ? { clock } : {}),
    ...(seat ? { seat } : {}),
    public: isPublic,
  };
}
