//! Offers of a draw, a takeback or a rematch.

use noughts_protocol::Offer;

use crate::facts::PlayerRef;
use crate::i18n::game::sentences::with_blank_after;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// States that a player made an offer. An offer of another player is followed by how to answer it.
    pub fn offer_made(self, who: &PlayerRef, offer: Offer) -> String {
        if who.you {
            return match offer {
                Offer::Draw => {
                    tr!(
                        self,
                        "You offer a draw.",
                        "Вы предлагаете ничью.",
                        "你提和。",
                        "你提和。"
                    )
                }
                Offer::Takeback => tr!(
                    self,
                    "You ask to take back a move.",
                    "Вы просите вернуть ход.",
                    "你请求悔棋。",
                    "你請求悔棋。"
                ),
                Offer::Rematch => tr!(
                    self,
                    "You offer a rematch.",
                    "Вы предлагаете реванш.",
                    "你提议再来一局。",
                    "你提議再來一局。"
                ),
            }
            .to_owned();
        }
        let offered = self.offer_received(who.name.as_str(), offer);
        trf!(
            self,
            "{offered} Accept or decline?",
            "{offered} Принять (accept) или отклонить (decline)?",
            "{offered}接受 (accept) 还是拒绝 (decline)？",
            "{offered}接受 (accept) 還是拒絕 (decline)？"
        )
    }

    /// States that another player made an offer.
    pub fn offer_received(self, name: &str, offer: Offer) -> String {
        let zh_name = with_blank_after(name);
        match offer {
            Offer::Draw => trf!(
                self,
                "{name} offers a draw.",
                "{name} предлагает ничью.",
                "{zh_name}提和。",
                "{zh_name}提和。"
            ),
            Offer::Takeback => trf!(
                self,
                "{name} asks to take back a move.",
                "{name} просит вернуть ход.",
                "{zh_name}请求悔棋。",
                "{zh_name}請求悔棋。"
            ),
            Offer::Rematch => trf!(
                self,
                "{name} offers a rematch.",
                "{name} предлагает реванш.",
                "{zh_name}提议再来一局。",
                "{zh_name}提議再來一局。"
            ),
        }
    }

    /// States that a player declined an offer.
    pub(crate) fn offer_declined(self, who: &PlayerRef, offer: Offer) -> String {
        let name = &who.name;
        let zh_name = with_blank_after(name.as_str());
        match (offer, who.you) {
            (Offer::Draw, true) => tr!(
                self,
                "You declined the draw.",
                "Вы отклонили ничью.",
                "你拒绝了和棋。",
                "你拒絕了和棋。"
            )
            .to_owned(),
            (Offer::Draw, false) => trf!(
                self,
                "{name} declined the draw.",
                "{name} отклоняет ничью.",
                "{zh_name}拒绝和棋。",
                "{zh_name}拒絕和棋。"
            ),
            (Offer::Takeback, true) => tr!(
                self,
                "You declined the takeback.",
                "Вы отклонили возврат хода.",
                "你拒绝了悔棋。",
                "你拒絕了悔棋。"
            )
            .to_owned(),
            (Offer::Takeback, false) => trf!(
                self,
                "{name} declined the takeback.",
                "{name} отклоняет возврат хода.",
                "{zh_name}拒绝悔棋。",
                "{zh_name}拒絕悔棋。"
            ),
            (Offer::Rematch, true) => tr!(
                self,
                "You declined the rematch.",
                "Вы отклонили реванш.",
                "你拒绝了再来一局的提议。",
                "你拒絕了再來一局的提議。"
            )
            .to_owned(),
            (Offer::Rematch, false) => trf!(
                self,
                "{name} declined the rematch.",
                "{name} отклоняет реванш.",
                "{zh_name}拒绝再来一局。",
                "{zh_name}拒絕再來一局。"
            ),
        }
    }
}
