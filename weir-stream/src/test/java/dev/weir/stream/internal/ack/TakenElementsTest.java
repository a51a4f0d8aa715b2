package dev.weir.stream.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TakenElementsTest {

    private final RecordingTarget source = new RecordingTarget("a");
    private final TakenElements elements = new TakenElements();

    /** Returns elements with the tokens 10, 11 and so on, after an element without a target. */
    private static Batch<Integer> batch(AckTarget target, int size) {
        Batch<Integer> batch = new Batch<>(size);
        batch.add(0);
        for (int i = 1; i <= size; i++) {
            batch.add(i, target, 9 + i);
        }
        return batch;
    }

    @Test
    void batch_withoutTargets_isReturnedItself() {
        Batch<Integer> batch = batch(source, 0);
        assertThat(elements.take(batch)).isSameAs(batch);
    }

    @Test
    void takenBatch_hasTheSameElements_andPassesOnTheirOutcomes() {
        Batch<Integer> taken = elements.take(batch(source, 3));
        assertThat(IntStream.range(0, taken.size()).mapToObj(taken::get)).containsExactly(0, 1, 2, 3);
        assertThat(taken.target(0)).isSameAs(AckTarget.NONE);
        taken.target(1).retain(taken.token(1), 1);
        taken.ack(1);
        taken.forgo(2);
        taken.abandonFrom(3);
        assertThat(source.calls()).containsExactly("forgo 11", "abandon 12");
        taken.ack(1);
        assertThat(source.calls()).containsExactly("ack 10");
    }

    @Test
    void abandonAll_abandonsWhatIsUnfinished_andIgnoresLaterAcknowledgements() {
        Batch<Integer> first = elements.take(batch(source, 3));
        Batch<Integer> second = elements.take(batch(source, 1));
        Batch<Integer> finished = elements.take(batch(source, 1));
        first.ack(2);
        finished.ackAll();
        assertThat(source.calls()).containsExactly("ack 11", "ack 10");
        elements.abandonAll();
        assertThat(source.calls()).containsExactlyInAnyOrder("abandon 10", "abandon 12", "abandon 10");
        first.ack(1);
        first.forgo(3);
        second.abandonAll();
        elements.abandonAll();
        assertThat(source.calls()).isEmpty();
    }

    @Test
    void questions_areAnsweredByTheSource() {
        Batch<Integer> taken = elements.take(batch(source, 2));
        AckTarget target = taken.target(2);
        assertThat(target.placeOf(2)).isEqualTo("a@11");
        assertThat(target.standsFor(2, source, 11)).isTrue();
        assertThat(target.standsFor(2, source, 10)).isFalse();
        List<Long> roots = new ArrayList<>();
        target.roots(2, (of, token) -> {
            assertThat(of).isSameAs(source);
            roots.add(token);
        });
        assertThat(roots).containsExactly(11L);
        assertThat(target.isRevoked(2)).isFalse();
        assertThat(target.dropIfRevoked(2)).isFalse();
        assertThat(source.calls()).isEmpty();
        source.revoked();
        assertThat(target.isRevoked(2)).isTrue();
        assertThat(target.dropIfRevoked(2)).isTrue();
        assertThat(source.calls()).containsExactly("abandon 11");
    }

    /** A long run takes any number of batches, so finished ones must not stay in memory. */
    @Test
    void batch_whoseElementsAreFinished_isNotKept() {
        try {
            WeakReference<AckTarget> target = takeAndFinish();
            for (int i = 0; i < 50 && target.get() != null; i++) {
                System.gc();
            }
            assertThat(target.get()).isNull();
        } finally {
            Reference.reachabilityFence(elements);
        }
    }

    private WeakReference<AckTarget> takeAndFinish() {
        RecordingTarget target = new RecordingTarget();
        Batch<Integer> taken = elements.take(batch(target, 2));
        taken.ack(1);
        taken.ack(2);
        assertThat(target.calls()).containsExactly("ack 10", "ack 11");
        return new WeakReference<>(target);
    }
}
