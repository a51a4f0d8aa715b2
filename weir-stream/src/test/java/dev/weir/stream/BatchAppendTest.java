package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests batches whose elements were appended many at a time. */
class BatchAppendTest {

    private record Target(String name) implements AckTarget {

        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int claims) {}
    }

    private static final Target FIRST = new Target("first");
    private static final Target SECOND = new Target("second");

    private static Iterator<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).iterator();
    }

    private static List<String> contents(Batch<Integer> batch) {
        List<String> contents = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            contents.add(batch.get(i) + " " + batch.target(i) + " " + batch.token(i));
        }
        return contents;
    }

    @Test
    void addAll_ofSeveralTargets_keepsEachBesideItsElements() {
        Batch<Integer> batch = new Batch<>(2);
        batch.addAll(numbers(0, 1), 100, () -> false, AckTarget.NONE, 0);
        batch.addAll(numbers(1, 4), 100, () -> false, FIRST, 7);
        batch.add(4, SECOND, 8);
        batch.addAll(numbers(5, 7), 100, () -> false, SECOND, 9);
        batch.addAll(numbers(7, 7), 100, () -> false, FIRST, 10);
        batch.addAll(numbers(7, 8), 100, () -> false, AckTarget.NONE, 0);

        assertThat(contents(batch))
                .containsExactly(
                        "0 AckTarget.NONE 0",
                        "1 " + FIRST + " 7",
                        "2 " + FIRST + " 7",
                        "3 " + FIRST + " 7",
                        "4 " + SECOND + " 8",
                        "5 " + SECOND + " 9",
                        "6 " + SECOND + " 9",
                        "7 AckTarget.NONE 0");
    }

    @Test
    void addAll_atItsLimitOrStopped_asksForNoMore() {
        Batch<Integer> batch = new Batch<>(2);
        Iterator<Integer> elements = numbers(0, 10);

        assertThat(batch.addAll(elements, 3, () -> false, FIRST, 1)).isTrue();
        assertThat(batch.addAll(elements, 100, () -> batch.size() < 100, FIRST, 1))
                .isTrue();
        assertThat(elements.next()).isEqualTo(3);
        assertThat(batch.addAll(elements, 100, () -> false, FIRST, 1)).isFalse();
        assertThat(batch.size()).isEqualTo(9);
    }

    @Test
    void addAll_ofAnIteratorThatThrows_keepsWhatCameBefore() {
        Batch<Integer> batch = new Batch<>(2);

        assertThatThrownBy(() -> batch.addAll(Arrays.asList(1, 2, null).iterator(), 100, () -> false, FIRST, 3))
                .isInstanceOf(NullPointerException.class);
        assertThat(contents(batch)).containsExactly("1 " + FIRST + " 3", "2 " + FIRST + " 3");
    }

    @Test
    void extend_afterSet_appends() {
        Batch<Integer> batch = new Batch<>(4);
        batch.add(0, FIRST, 1);
        batch.set(1, 10);
        batch.set(2, 20);
        batch.extend(3, SECOND, 2);
        batch.extend(3, FIRST, 9);

        assertThat(contents(batch)).containsExactly("0 " + FIRST + " 1", "10 " + SECOND + " 2", "20 " + SECOND + " 2");
    }
}
