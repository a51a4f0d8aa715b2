package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Attributes;
import dev.weir.stream.Ordering;
import dev.weir.stream.Supervision;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests keys of a batch whose key function fails for element 1. */
class ElementKeysTest {

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final List<String> ends = new ArrayList<>();
    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            ends.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            ends.add("abandon " + token);
        }

        @Override
        public void retain(long token, int count) {}
    };
    private final Ordering<Integer> failingAt1 = Ordering.byHash(n -> {
        if (n == 1) {
            throw planted;
        }
        return n * 10L;
    });

    private Batch<Integer> batch() {
        Batch<Integer> batch = new Batch<>(4);
        for (int n = 0; n < 4; n++) {
            batch.add(n, target, n);
        }
        return batch;
    }

    private ElementKeys<Integer> keys(Ordering<Integer> ordering, Supervision supervision) {
        StageAttributes attributes =
                new StageAttributes(Attributes.named("keyed").withSupervision(supervision));
        return new ElementKeys<>(ordering, SupervisedCall.by(attributes, Clock.SYSTEM));
    }

    private static List<Integer> valuesOf(Batch<Integer> batch) {
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            values.add(batch.get(i));
            assertThat(batch.token(i)).isEqualTo((long) batch.get(i));
        }
        return values;
    }

    @Test
    void element_withoutAKey_ifSkipped_leavesTheOthersWithTheirKeys() throws Exception {
        ElementKeys<Integer> keys = keys(failingAt1, Supervision.skip());
        Batch<Integer> batch = batch();
        long[] ofBatch = keys.of(batch);
        assertThat(valuesOf(batch)).containsExactly(0, 2, 3);
        assertThat(ElementKeys.at(ofBatch, 0)).isZero();
        assertThat(ElementKeys.at(ofBatch, 1)).isEqualTo(20);
        assertThat(ElementKeys.at(ofBatch, 2)).isEqualTo(30);
        assertThat(ends).containsExactly("ack 1");
        assertThat(keys.failure()).isNull();
    }

    @Test
    void element_withoutAKey_ifItFailsTheStream_isTheFirstOfThoseAbandoned() throws Exception {
        ElementKeys<Integer> keys = keys(failingAt1, Supervision.fail());
        Batch<Integer> batch = batch();
        long[] ofBatch = keys.of(batch);
        assertThat(valuesOf(batch)).containsExactly(0);
        assertThat(ElementKeys.at(ofBatch, 0)).isZero();
        assertThat(ends).containsExactly("abandon 1", "abandon 2", "abandon 3");
        assertThat(keys.failure()).isSameAs(planted);
    }

    @Test
    void elements_ofAnOrderWithoutKeys_haveNone() throws Exception {
        Batch<Integer> batch = batch();
        long[] ofBatch = keys(Ordering.input(), Supervision.fail()).of(batch);
        assertThat(ElementKeys.at(ofBatch, 3)).isEqualTo(Ordering.NO_KEY);
        assertThat(valuesOf(batch)).containsExactly(0, 1, 2, 3);
    }
}
