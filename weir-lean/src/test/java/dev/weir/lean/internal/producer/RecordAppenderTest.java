package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.SendException;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.encode.RecordBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests which records wake the producer's thread. It sleeps for at most a second, until the oldest batch is old enough,
 * and is woken for batches that may be sent sooner. The tests count the wake-ups and send nothing.
 */
@Timeout(120)
class RecordAppenderTest {

    private static final int BATCH_BYTES = 1_024;

    /** Half of a batch's space. */
    private static final int HALF_BYTES = 400;

    private static final int SMALL_BYTES = 8;

    private final AtomicInteger wakes = new AtomicInteger();
    private final ProducerBatchPool pool = new ProducerBatchPool(16 * BATCH_BYTES, BATCH_BYTES, () -> {});
    private final RecordAppender appender =
            new RecordAppender(pool, BATCH_BYTES, System::nanoTime, wakes::incrementAndGet);
    private final ProducerTopic topic = topic();
    private final ProducerPartition first = topic.partitions()[0];
    private final ProducerPartition second = topic.partitions()[1];

    private static ProducerTopic topic() {
        ProducerTopic topic = new ProducerTopic("t", 0);
        SplittableRandom random = new SplittableRandom(1);
        ProducerPartition[] all = IntStream.range(0, 2)
                .mapToObj(number ->
                        new ProducerPartition(topic, number, new RetryBackoff(TimeUnit.SECONDS.toNanos(1), random)))
                .toArray(ProducerPartition[]::new);
        for (ProducerPartition each : all) {
            each.leader.learn(1, 0);
        }
        topic.partitions(all);
        return topic;
    }

    private void append(int number, int valueBytes) throws Exception {
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(new byte[valueBytes], 0, valueBytes);
        assertThat(appender.append(topic, number, record, 1, 0, 0)).isTrue();
    }

    private static int sealed(ProducerPartition partition) {
        ArrayDeque<ProducerBatch> batches = new ArrayDeque<>();
        long unused = partition.intake.drain(batches, System.nanoTime() - TimeUnit.HOURS.toNanos(1), false);
        return batches.size();
    }

    @Test
    void newBatch_wakes_andOneThatIsFilledOn_doesNot() throws Exception {
        append(0, HALF_BYTES);
        assertThat(wakes).hasValue(1);
        append(0, HALF_BYTES);
        assertThat(wakes).hasValue(1);
        append(0, HALF_BYTES);
        assertThat(wakes).as("after a full one").hasValue(2);
        assertThat(sealed(first)).isEqualTo(1);
    }

    /** Regression: a full batch waited until its linger was over, or for a second. */
    @Test
    void fullBatch_wakes_whenTheNextRecordGoesIntoABatchThatIsThere() throws Exception {
        appendTwoToSecond();
        append(0, SMALL_BYTES);
        assertThat(wakes).hasValue(2);
        append(RecordAppender.ANY_PARTITION, HALF_BYTES);
        assertThat(wakes).hasValue(3);
        assertThat(sealed(second)).isEqualTo(1);
        assertThat(sealed(first)).isZero();
    }

    /** The sticky partition's batch has been sent. The other partition already has a batch. */
    @Test
    void recordThatGoesIntoABatchThatIsThere_wakesNobody_whereNoneIsFull() throws Exception {
        append(1, SMALL_BYTES);
        append(RecordAppender.ANY_PARTITION, HALF_BYTES);
        assertThat(wakes).hasValue(1);
    }

    /** The full batch can be sent, unlike the new batch. */
    @Test
    void fullBatch_wakes_whenTheNextOneIsBegun_whereNoneCanLeave() throws Exception {
        first.held = true;
        appendTwoToSecond();
        assertThat(wakes).hasValue(1);
        append(RecordAppender.ANY_PARTITION, HALF_BYTES);
        assertThat(wakes).hasValue(2);
        assertThat(sealed(second)).isEqualTo(1);
    }

    /**
     * Fills a batch of the second partition. Its first record moves there, because the first partition has no batch.
     */
    private void appendTwoToSecond() throws Exception {
        append(RecordAppender.ANY_PARTITION, HALF_BYTES);
        append(RecordAppender.ANY_PARTITION, HALF_BYTES);
    }

    /** The thread checks by itself when the brokers accept requests again. */
    @Test
    void batchesThatCannotLeave_wakeNobody() throws Exception {
        first.held = true;
        second.held = true;
        for (int record = 0; record < 6; record++) {
            append(RecordAppender.ANY_PARTITION, HALF_BYTES);
        }
        assertThat(sealed(first) + sealed(second)).isEqualTo(2);
        assertThat(wakes).hasValue(0);
    }

    /** Another thread has added a batch meanwhile. */
    @Test
    void newBatchThatIsNotNeeded_isGivenBack() throws Exception {
        long free = pool.freeBytes();
        RecordBytes rival = new RecordBytes();
        rival.key.clear();
        rival.value.wrap(new byte[SMALL_BYTES], 0, SMALL_BYTES);
        RecordAppender late = new RecordAppender(
                pool,
                BATCH_BYTES,
                () -> {
                    ProducerBatch batch = new ProducerBatch(ByteBuffer.allocate(BATCH_BYTES), 0);
                    assertThat(first.intake.append(batch, 5, rival, 1, 1)).isTrue();
                    return 6;
                },
                wakes::incrementAndGet);
        assertThat(late.append(topic, 0, rival, 1, 2, 0)).isTrue();
        assertThat(pool.freeBytes()).isEqualTo(free);
        ArrayDeque<ProducerBatch> batches = new ArrayDeque<>();
        assertThat(first.intake.drain(batches, 0, true)).isEqualTo(RecordIntake.NEVER);
        assertThat(batches.element().count()).isEqualTo(2);
        assertThat(batches).hasSize(1);
    }

    @Test
    void recordThatIsLargerThanARequest_isRefused_andTakesNoRoom() {
        long free = pool.freeBytes();
        RecordBytes large = new RecordBytes();
        large.key.clear();
        large.value.wrap(new byte[BATCH_BYTES], 0, BATCH_BYTES);
        assertThatExceptionOfType(SendException.class)
                .isThrownBy(() -> appender.append(topic, 1, large, 1, 0, 0))
                .withMessageContaining("is larger than maxRequestBytes=" + BATCH_BYTES)
                .satisfies(refused -> assertThat(refused.mayBeWritten()).isFalse());
        assertThat(pool.freeBytes()).isEqualTo(free);
        assertThat(wakes).hasValue(0);
    }

    /** A batch for a partition without a leader would only wait. */
    @Test
    void nextPartition_isAnotherOne_withALeaderIfThereIsOne() {
        ProducerTopic wide = new ProducerTopic("t", 0);
        SplittableRandom random = new SplittableRandom(1);
        ProducerPartition[] all = IntStream.range(0, 4)
                .mapToObj(number -> new ProducerPartition(wide, number, new RetryBackoff(1, random)))
                .toArray(ProducerPartition[]::new);
        all[1].leader.learn(1, 0);
        all[3].leader.learn(1, 0);
        for (int i = 0; i < 20; i++) {
            assertThat(wide.nextSticky(all, all[1])).isSameAs(all[3]);
            assertThat(wide.sticky(all)).isSameAs(all[3]);
            assertThat(wide.nextSticky(all, all[3])).isSameAs(all[1]);
            assertThat(wide.sticky(all)).isSameAs(all[1]);
        }
        ProducerPartition[] one = {all[1]};
        assertThat(wide.nextSticky(one, all[1])).isSameAs(all[1]);
        ProducerPartition[] without = {all[0], all[2]};
        assertThat(without).contains(wide.nextSticky(without, all[0]));
    }

    @Test
    void recordWithAKey_goesToTheKeysPartition_whateverIsThere() throws Exception {
        append(0, SMALL_BYTES);
        append(1, SMALL_BYTES);
        RecordBytes keyed = new RecordBytes();
        byte[] key = "key".getBytes(StandardCharsets.UTF_8);
        keyed.key.wrap(key, 0, key.length);
        keyed.value.clear();
        int expected = Utils.toPositive(Utils.murmur2(key)) % 2;
        ProducerPartition of = topic.partitions()[expected];
        long taken = of.intake.seal();
        assertThat(appender.append(topic, RecordAppender.ANY_PARTITION, keyed, 1, 0, 0))
                .isTrue();
        assertThat(of.intake.seal()).isEqualTo(taken + 1);
    }

    @Test
    void recordWithoutRoom_isNotTaken_ifNobodyWaits() throws Exception {
        while (pool.take(SMALL_BYTES, 0) != null) {
            // Take all batches of the pool.
        }
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.clear();
        assertThat(appender.append(topic, 0, record, 1, 0, 0)).isFalse();
        assertThat(first.intake.seal()).isZero();
        assertThat(wakes).hasValue(0);
    }
}
