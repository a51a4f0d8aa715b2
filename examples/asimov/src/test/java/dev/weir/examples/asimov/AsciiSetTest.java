package dev.weir.examples.asimov;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AsciiSetTest {

    @Test
    void has_eachCharacter_isThatOfTheText() {
        String text = "\0 /09:?@AZ[`az~\u007f";
        AsciiSet set = AsciiSet.of(text);
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            assertThat(set.has((char) c)).as("U+%04X", c).isEqualTo(text.indexOf(c) >= 0);
        }
    }

    @Test
    void of_anotherCharacter_isRefused() {
        assertThatThrownBy(() -> AsciiSet.of("aé"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not ASCII");
    }
}
