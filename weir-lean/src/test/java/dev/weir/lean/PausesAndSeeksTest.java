package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests pauses and seeks at unusual moments. */
class PausesAndSeeksTest {

    private final FakeLog log = new FakeLog();
    private final List<Long> offsets = new ArrayList<>();
    private volatile int perAnswer = 3;
    private FakeBroker broker;
    private LeanConsumer consumer;

    @BeforeEach
    void open() throws Exception {
        broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> log.serve(request, perAnswer));
        consumer = LeanConsumer.open(
                LeanSettings.builder().bootstrapServers(broker.address()).build());
    }

    @AfterEach
    void close() throws Exception {
        consumer.close();
        broker.close();
    }

    /** Regression: a batch counted as corrupt after a pause at its last record. */
    @Test
    void pauseAtTheLastRecordOfABatch_goesOnWithTheNextOne() {
        int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
        RecordHandler handler = record -> {
            offsets.add(record.offset());
            consumer.pause(record.index());
        };
        FakeLog.pollUntil(consumer, handler, () -> {
            if (consumer.isPaused(index)) {
                assertThat(consumer.position(index)).isEqualTo(offsets.size());
                consumer.resume(index);
            }
            return offsets.size() == FakeLog.END;
        });
        assertThat(offsets).isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
        assertThat(consumer.metrics().batches()).isEqualTo(3);
    }

    @Test
    void endPoll_withinABatch_leavesTheRestToTheNextPoll() {
        var ignored = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
        List<Integer> sizes = new ArrayList<>();
        while (offsets.size() < FakeLog.END) {
            int before = offsets.size();
            FakeLog.pollUntil(
                    consumer,
                    record -> {
                        offsets.add(record.offset());
                        sizes.add(record.sizeBytes()
                                - record.value().length()
                                - Math.max(0, record.key().length()));
                        if (offsets.size() % 4 == 0) {
                            consumer.endPoll();
                        }
                    },
                    () -> offsets.size() > before);
            assertThat(offsets.size() - before).isLessThanOrEqualTo(4);
        }
        assertThat(offsets).isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
        // Attributes, timestamp, offset and three lengths take at least six bytes. Headers add more.
        assertThat(sizes).allSatisfy(size -> assertThat(size).isBetween(6, 200));
    }

    @Test
    void endPoll_afterABatch_leavesTheNextOnesToTheNextPoll() {
        var ignored = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
        List<Integer> perPoll = new ArrayList<>();
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (perPoll.stream().mapToInt(Integer::intValue).sum() < FakeLog.END) {
            int[] records = {0};
            int work = consumer.pollBatches(batch -> {
                records[0] += batch.recordCount();
                consumer.endPoll();
            });
            if (records[0] > 0) {
                perPoll.add(records[0]);
            } else if (work == 0) {
                consumer.await(Duration.ofMillis(10));
            }
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        assertThat(perPoll).containsExactly(FakeLog.PER_BATCH, FakeLog.PER_BATCH, FakeLog.PER_BATCH);
    }

    /** Regression: the partition was read from the first seek's position. */
    @Test
    void seekWhileAnotherPlaceIsLookedUp_goesToTheLaterOne() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch sought = new CountDownLatch(1);
        broker.offsets(wanted -> {
            if (wanted.timestamp() == StartAt.END) {
                return FakeLog.END;
            }
            asked.countDown();
            await(sought);
            return 0;
        });
        int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
        FakeLog.pollUntil(consumer, record -> {}, () -> asked.getCount() == 0);
        consumer.seek(index, StartAt.end());
        sought.countDown();
        FakeLog.pollUntil(consumer, record -> offsets.add(record.offset()), () -> consumer.position(index) >= 0);
        assertThat(consumer.position(index)).isEqualTo(FakeLog.END);
        assertThat(offsets).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** No other partition needs the paused partition's receive buffers. */
    @Test
    void partitionPausedAlone_isNotCopied() {
        perAnswer = 1;
        int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
        RecordHandler handler = record -> {
            offsets.add(record.offset());
            consumer.pause(index);
        };
        FakeLog.pollUntil(consumer, handler, () -> consumer.metrics().fetches() == 2);
        assertThat(offsets).containsExactly(0L);
        consumer.resume(index);
        FakeLog.pollUntil(consumer, record -> offsets.add(record.offset()), () -> offsets.size() == FakeLog.END);
        assertThat(consumer.metrics().copiedBytes()).isZero();
    }

    /**
     * Regression: after a paused partition moved to another leader, no other partition of the former leader was read.
     */
    @Test
    void partitionPausedAndLedByAnotherBroker_keepsNoBufferFromThoseThatStay() throws Exception {
        perAnswer = 1;
        try (FakeBroker other = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve)) {
            broker.near(other.port());
            broker.partitions(2);
            int paused = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            RecordHandler handler = record -> consumer.pause(paused);
            FakeLog.pollUntil(consumer, handler, () -> consumer.metrics().fetches() == 2);
            broker.moved(0);
            consumer.assign(FakeBroker.TOPIC, 1, StartAt.offset(0));
            RecordHandler collecting = record -> offsets.add(record.offset());
            FakeLog.pollUntil(consumer, collecting, () -> offsets.size() == FakeLog.END);
            assertThat(consumer.broker(paused)).isEqualTo(FakeBroker.NEAR);
            consumer.resume(paused);
            FakeLog.pollUntil(consumer, collecting, () -> offsets.size() == 2 * FakeLog.END - 1);
            assertThat(offsets.subList(FakeLog.END, offsets.size()))
                    .isEqualTo(LongStream.range(1, FakeLog.END).boxed().toList());
        }
    }

    @Test
    void topicThatIsGivenUp_isNotAskedForAnyMore() {
        consumer.unassign(consumer.assign("given-up", 0, StartAt.beginning()));
        consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
        FakeLog.pollUntil(consumer, record -> offsets.add(record.offset()), () -> offsets.size() == FakeLog.END);
        assertThat(broker.topicsAskedFor()).containsExactly(FakeBroker.TOPIC);
    }
}
