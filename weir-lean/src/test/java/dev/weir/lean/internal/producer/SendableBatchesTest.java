package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.encode.RecordBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests which partitions go into the next request to a broker. */
class SendableBatchesTest {

    private static final int VALUE_BYTES = 300;

    /** Enough for two batches, but not for three. */
    private static final int MAX_REQUEST_BYTES = 1_000;

    private final SplittableRandom random = new SplittableRandom(1);
    private final SendableBatches ready = new SendableBatches(MAX_REQUEST_BYTES);
    private long nowNanos = Long.MAX_VALUE - 2; // The clock may pass that.

    private ProducerPartition partition(ProducerTopic topic, int number) {
        return new ProducerPartition(topic, number, new RetryBackoff(1, random));
    }

    private void fill(ProducerPartition partition, int valueBytes) {
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(new byte[valueBytes], 0, valueBytes);
        ProducerBatch batch = new ProducerBatch(ByteBuffer.allocate(2 * MAX_REQUEST_BYTES), 0);
        batch.begin(nowNanos++);
        assertThat(batch.append(record, 1, 0)).isTrue();
        partition.waiting.add(batch);
    }

    private List<ProducerPartition> next(List<ProducerPartition> offered) {
        ready.clear();
        offered.forEach(ready::add);
        return List.copyOf(ready.ofNextRequest());
    }

    @Test
    void thoseThatFit_goTogether_sideBySideByTopic() {
        ProducerTopic one = new ProducerTopic("one", 0);
        ProducerTopic other = new ProducerTopic("other", 1);
        List<ProducerPartition> offered = List.of(partition(one, 1), partition(other, 0), partition(one, 0));
        offered.forEach(each -> fill(each, 8));
        assertThat(next(offered)).containsExactly(offered.get(2), offered.get(0), offered.get(1));
    }

    /** Regression: the last partition was never sent while the first partitions had batches. */
    @Test
    void partitionOfferedLastEachTime_goesWhenItsBatchIsTheOldest() {
        ProducerTopic topic = new ProducerTopic("t", 0);
        List<ProducerPartition> offered = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            offered.add(partition(topic, number));
        }
        offered.forEach(each -> fill(each, VALUE_BYTES));
        int[] sent = new int[3];
        for (int request = 0; request < 30; request++) {
            List<ProducerPartition> next = next(offered);
            assertThat(next).hasSize(2);
            for (ProducerPartition each : next) {
                each.waiting.remove();
                fill(each, VALUE_BYTES);
                sent[each.number]++;
            }
        }
        // The other partitions' new batches are always younger, and a request has space for two.
        assertThat(sent[2]).isGreaterThanOrEqualTo(10);
    }

    @Test
    void batchThatIsLargerThanARequest_goesAlone() {
        ProducerTopic topic = new ProducerTopic("t", 0);
        List<ProducerPartition> offered = List.of(partition(topic, 0), partition(topic, 1));
        fill(offered.get(1), MAX_REQUEST_BYTES);
        fill(offered.get(0), 8);
        assertThat(next(offered)).containsExactly(offered.get(1));
    }
}
