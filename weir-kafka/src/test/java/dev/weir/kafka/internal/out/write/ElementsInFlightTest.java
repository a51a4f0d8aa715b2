package dev.weir.kafka.internal.out.write;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ElementsInFlightTest {

    private final ElementsInFlight elements = new ElementsInFlight();

    // Regression: a partition without answers held up the run forever while other partitions were answered.
    @Test
    void recordWithoutAnAnswer_growsOldAlthoughOthersAreAnswered() {
        int silent = elements.add(AckTarget.NONE, 0, 2);
        assertThat(elements.answered(silent)).isFalse();
        for (int second = 0; second < 40; second++) {
            assertThat(elements.oldestNanos(SECONDS.toNanos(second))).isLessThanOrEqualTo(SECONDS.toNanos(second));
            assertThat(elements.answered(elements.add(AckTarget.NONE, 1, 1))).isTrue();
        }
        assertThat(elements.oldestNanos(SECONDS.toNanos(40))).isGreaterThan(SECONDS.toNanos(30));
        assertThat(elements.unanswered()).isEqualTo(1);

        assertThat(elements.answered(silent)).isTrue();
        assertThat(elements.oldestNanos(SECONDS.toNanos(41))).isZero();
        assertThat(elements.unanswered()).isZero();
    }

    @Test
    void elementWithManyRecords_doesNotGrowOldWhileTheyAreAnswered() {
        int large = elements.add(AckTarget.NONE, 0, 100);
        for (int second = 0; second < 99; second++) {
            assertThat(elements.oldestNanos(SECONDS.toNanos(second))).isLessThanOrEqualTo(SECONDS.toNanos(1));
            assertThat(elements.answered(large)).isFalse();
        }
        assertThat(elements.count()).isEqualTo(1);
    }

    private static final class Acknowledged implements AckTarget {

        private final List<Long> tokens = new ArrayList<>();

        @Override
        public void ack(long token) {
            tokens.add(token);
        }

        @Override
        public void retain(long token, int count) {}

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    }

    @Test
    void elements_moreThanEverBefore_areAcknowledgedOnceEach_afterTheirLastRecord() {
        Acknowledged target = new Acknowledged();
        int[] numbers = new int[200];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = elements.add(target, i, 2);
        }
        assertThat(numbers).doesNotHaveDuplicates();
        assertThat(elements.count()).isEqualTo(200);
        assertThat(elements.unanswered()).isEqualTo(400);
        for (int i = numbers.length - 1; i >= 0; i--) {
            assertThat(elements.answered(numbers[i])).isFalse();
            assertThat(elements.placeOf(numbers[i])).isEqualTo("in-0@" + i);
        }
        assertThat(target.tokens).isEmpty();
        for (int number : numbers) {
            assertThat(elements.answered(number)).isTrue();
        }
        assertThat(target.tokens)
                .isEqualTo(LongStream.range(0, numbers.length).boxed().toList());
        assertThat(elements.count()).isZero();
    }

    @Test
    void numbers_ofAcknowledgedElements_areUsedAgain() {
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            int one = elements.add(AckTarget.NONE, 1, 1);
            int other = elements.add(AckTarget.NONE, 2, 1);
            assertThat(one).isNotEqualTo(other);
            numbers.addAll(List.of(one, other));
            assertThat(elements.answered(one)).isTrue();
            assertThat(elements.answered(other)).isTrue();
        }
        assertThat(numbers).hasSizeLessThan(64);
        assertThat(elements.count()).isZero();
    }

    @Test
    void elements_ofOneThread_areAcknowledgedAndCountedByOthers() throws Exception {
        Acknowledged target = new Acknowledged();
        for (int round = 0; round < 2; round++) {
            int number = onAnotherThread(() -> elements.add(target, 7, 1));
            assertThat(onAnotherThread(elements::count)).isEqualTo(1);
            assertThat(onAnotherThread(() -> elements.answered(number))).isTrue();
            assertThat(onAnotherThread(elements::count)).isZero();
        }
        assertThat(target.tokens).containsExactly(7L, 7L);
    }

    /** Fails if the call waits for a lock that another thread has kept. */
    private static <T> T onAnotherThread(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofPlatform().daemon().start(task);
        return task.get(20, SECONDS);
    }
}
