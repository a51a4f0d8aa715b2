package dev.weir.cli.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cli.records.RecordInput.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordInputTest {

    private static LineInput lines(String text, @Nullable String separator, int maxLineBytes) {
        return new LineInput(
                new ByteArrayInputStream(text.getBytes(UTF_8)),
                "in.txt",
                separator == null ? null : separator.getBytes(UTF_8),
                maxLineBytes);
    }

    private static List<String> read(RecordInput input) throws IOException {
        List<String> all = new ArrayList<>();
        for (KeyValue next = input.next(); next != null; next = input.next()) {
            all.add((next.key() == null ? "" : new String(next.key(), UTF_8) + "=") + new String(next.value(), UTF_8));
        }
        return all;
    }

    @Test
    void lines_ofAnyEnding_areOneRecordEach() throws IOException {
        assertThat(read(lines("a\nb\r\n\nwörter", null, 100))).containsExactly("a", "b", "", "wörter");
        assertThat(read(lines("", null, 100))).isEmpty();
    }

    @Test
    void separator_ofAnyLength_splitsAtItsFirst() throws IOException {
        assertThat(read(lines("k:v:w\n:v\nk:\n", ":", 100))).containsExactly("k=v:w", "=v", "k=");
        assertThat(read(lines("k->v->w\n", "->", 100))).containsExactly("k=v->w");
    }

    @Test
    void lineWithoutSeparator_isNamed() throws IOException {
        LineInput lines = lines("k:v\nno key\n", ":", 100);
        assertThat(lines.next()).isNotNull();
        assertThatThrownBy(lines::next).hasMessageStartingWith("line 2 of in.txt has no key");
    }

    @Test
    void lineLongerThanARequest_isNamed_andTakesNoMoreMemory() throws IOException {
        LineInput lines = lines("12345\n123456\n", null, 5);
        assertThat(lines.next()).isNotNull();
        assertThatThrownBy(lines::next).hasMessage("line 2 of in.txt is longer than max.request.size=5 bytes");
    }

    @Test
    void generated_hasCountSizeAndKeys() throws IOException {
        GeneratedInput input = new GeneratedInput(3, 12, 2, 0, new CountDownLatch(1), () -> 0);
        assertThat(read(input))
                .hasSize(3)
                .allMatch(each -> each.length() == "key-0=".length() + 12)
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("key-0=record 1 "),
                        second -> assertThat(second).startsWith("key-1=record 2 "),
                        third -> assertThat(third).startsWith("key-0=record 3 "));
        assertThat(read(new GeneratedInput(1, 3, 0, 0, new CountDownLatch(1), () -> 0)))
                .containsExactly("rec");
    }

    @Test
    void generated_thatIsNotDue_endsWithAStop() throws IOException {
        CountDownLatch stop = new CountDownLatch(1);
        stop.countDown();
        GeneratedInput input = new GeneratedInput(2, 10, 0, 1, stop, () -> 0);
        assertThat(input.next()).isNull();
    }
}
