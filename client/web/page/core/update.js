// How the model changes: `update(model, message)` returns the next model and
// the effects to run. Pure.
import { checkMessage } from "./message.js";
import { changeLobby, wholeLobby } from "./lobby.js";
import { onBot, onEvents, onNotice, onSnapshot } from "./room-messages.js";
import {
  onCheck,
  onClosed,
  onDone,
  onNetwork,
  onOpened,
  onReject,
  onResend,
  onWelcome,
} from "./session.js";
import { andThen, pursueWanted, settle } from "./step.js";
import { onAction } from "./visitor.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./step.js").Message} Message
 * @typedef {import("./step.js").Step} Step
 */

/**
 * @param {Model} model
 * @param {Message} message
 * @returns {Step}
 */
export function update(model, message) {
  switch (message.type) {
    case "opened":
      return onOpened(model, message.now);
    case "closed":
      return onClosed(model, message);
    case "received":
      return andThen(onReceived(model, message.message, message.now), (model) =>
        pursueWanted(model, message.now),
      );
    case "tick":
      return [
        Number(model.banner?.until) <= message.now
          ? { ...model, banner: null }
          : model,
        [],
      ];
    case "check":
      return onCheck(model, message);
    case "network":
      return onNetwork(model, message.hasNetwork);
    case "elsewhere":
      return [{ ...model, elsewhere: message.rooms }, []];
    case "saved":
      return [{ ...model, saved: message.saved }, []];
    case "resend":
      return onResend(model, message.id, message.now);
    case "bot":
      return onBot(model, message, message.now);
    case "action":
      return onAction(model, message.action, message.now);
    default:
      return [model, []];
  }
}

/** @param {Model} model @param {import("../../../../protocol/asyncapi/noughts").Message} message @param {number} now @returns {Step} */
function onReceived(model, message, now) {
  checkMessage(message);
  switch (message.type) {
    case "welcome":
      return onWelcome(settle(model, message.re), message, now);
    case "done":
      return onDone(model, message);
    case "reject":
      return onReject(model, message, now);
    case "snapshot":
      return onSnapshot(model, message, now);
    case "events":
      return onEvents(model, message, now);
    case "notice":
      return onNotice(model, message, now);
    case "lobby":
      return [
        {
          ...settle(model, message.re),
          lobby: wholeLobby(message),
          isSubscribed: true,
        },
        [],
      ];
    case "lobby_changed":
      return [{ ...model, lobby: changeLobby(model.lobby, message) }, []];
    case "announcement":
      return [
        model,
        [{ type: "toast", key: message.type, values: message, urgent: true }],
      ];
    case "restarting": {
      const connection = {
        ...model.connection,
        restarting: true,
        retryAt: now + message.retry_after_ms,
      };
      return [{ ...model, connection }, []];
    }
    default:
      return [model, []];
  }
}
