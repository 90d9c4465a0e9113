//! Characters that distinguish simplified from traditional Chinese.
//!
//! The lists cover the texts of this program, which suffices to detect swapped texts. They were generated with
//! OpenCC.

pub(crate) const fn is_simplified(letter: u32) -> bool {
    is_in(SIMPLIFIED, letter)
}

pub(crate) const fn is_traditional(letter: u32) -> bool {
    is_in(TRADITIONAL, letter)
}

const fn is_in(table: &[char], letter: u32) -> bool {
    let (mut from, mut to) = (0, table.len());
    while from < to {
        let middle = usize::midpoint(from, to);
        if table[middle] as u32 == letter {
            return true;
        }
        if (table[middle] as u32) < letter {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    false
}

/// Characters of this program's texts that occur only in simplified Chinese, sorted.
#[rustfmt::skip]
const SIMPLIFIED: &[char] = &[
    '与', '两', '个', '为', '举', '么', '书', '于', '仅', '从', '价', '会', '余', '关', '内', '册',
    '写', '决', '几', '凭', '则', '删', '别', '务', '动', '势', '区', '协', '单', '参', '双', '发',
    '变', '号', '后', '吗', '启', '响', '围', '坏', '处', '复', '头', '夹', '实', '宽', '对', '寻',
    '将', '层', '带', '帮', '并', '应', '开', '强', '当', '录', '彻', '态', '惯', '戏', '战', '户',
    '执', '报', '择', '损', '换', '据', '数', '断', '无', '旧', '时', '显', '暂', '机', '权', '条',
    '来', '构', '标', '样', '档', '检', '横', '汉', '没', '测', '满', '状', '环', '现', '电', '画',
    '盘', '着', '码', '确', '离', '种', '称', '竖', '签', '简', '类', '级', '线', '终', '经', '绑',
    '结', '给', '络', '绝', '统', '继', '续', '维', '编', '网', '联', '胜', '脑', '脚', '节', '获',
    '补', '装', '见', '观', '规', '视', '计', '认', '让', '议', '论', '设', '证', '评', '识', '诊',
    '试', '询', '该', '详', '语', '误', '说', '请', '读', '谁', '谱', '负', '败', '赛', '赢', '赶',
    '轮', '轴', '载', '较', '输', '边', '达', '过', '运', '还', '这', '进', '连', '迟', '适', '选',
    '里', '钟', '铃', '错', '键', '长', '闭', '问', '间', '阅', '随', '隐', '难', '静', '页', '项',
    '顺', '须', '预', '频', '题', '颜', '额',
];

/// Characters of this program's texts that occur only in traditional Chinese, sorted.
#[rustfmt::skip]
const TRADITIONAL: &[char] = &[
    '並', '佔', '來', '個', '傳', '僅', '價', '儲', '內', '兩', '冊', '別', '刪', '則', '動', '勝',
    '勢', '區', '協', '參', '問', '啟', '單', '嗎', '圍', '執', '報', '壞', '夾', '寫', '寬', '將',
    '尋', '對', '層', '帶', '幾', '強', '後', '從', '復', '徹', '態', '慣', '憑', '憶', '應', '戰',
    '戲', '戶', '換', '損', '擇', '敗', '數', '斷', '於', '時', '暫', '會', '條', '構', '標', '樣',
    '機', '橫', '檔', '檢', '欄', '權', '決', '沒', '測', '滿', '漢', '為', '無', '狀', '獲', '現',
    '環', '畫', '當', '發', '盤', '確', '碼', '種', '稱', '範', '簡', '簽', '籤', '級', '終', '結',
    '絕', '給', '統', '綁', '經', '維', '網', '緒', '線', '編', '繼', '續', '腦', '腳', '與', '舉',
    '舊', '處', '號', '螢', '補', '裝', '裡', '複', '見', '規', '視', '觀', '計', '訊', '記', '設',
    '診', '評', '詢', '試', '該', '詳', '認', '語', '誤', '說', '誰', '請', '論', '證', '識', '譜',
    '議', '讀', '變', '讓', '負', '資', '賽', '贏', '趕', '軸', '較', '載', '輪', '輸', '這', '連',
    '進', '遊', '過', '達', '適', '遲', '選', '還', '邊', '鈴', '錄', '錯', '鍵', '鐘', '長', '閉',
    '開', '間', '閱', '關', '隨', '隱', '雙', '離', '難', '電', '靜', '響', '頁', '項', '順', '須',
    '預', '頭', '頻', '題', '額', '顏', '類', '顯', '餘', '體', '麼',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_disjoint() {
        for table in [SIMPLIFIED, TRADITIONAL] {
            assert!(table.is_sorted_by(|before, after| before < after));
        }
        assert!(
            SIMPLIFIED
                .iter()
                .all(|letter| !TRADITIONAL.contains(letter))
        );
        assert!(is_simplified('这' as u32) && !is_simplified('這' as u32));
        assert!(is_traditional('這' as u32) && !is_traditional('这' as u32));
    }
}
