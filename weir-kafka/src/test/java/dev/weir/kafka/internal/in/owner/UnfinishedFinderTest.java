package dev.weir.kafka.internal.in.owner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.internal.handler.HandlerJob;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.in.owner.UnfinishedFinder.Sought;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Whereabouts;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnfinishedFinderTest {

    private static final byte[] KEY = "customer-7".getBytes(UTF_8);
    private static final int HASH = Utils.murmur2(KEY);
    private static final ConsumerRecord<byte[], byte[]> RAW = new ConsumerRecord<>("t", 0, 12, KEY, new byte[1]);

    private final RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final AssignedPartition partition =
            new AssignedPartition(new TopicPartition("t", 0), new OffsetTracker(10, () -> {}), Long.MAX_VALUE);
    private final SimulatedContext reader = new SimulatedContext();
    private final UnfinishedFinder finder = new UnfinishedFinder(() -> List.of(reader));

    private Oldest find(Duration age) {
        Oldest oldest = Oldest.of(12, age, null, Oldest.IN_FLIGHT);
        PartitionDump dump = PartitionDump.builder()
                .topic("t")
                .epoch(1)
                .inFlight(1)
                .oldest(oldest)
                .committed(-1)
                .position(13)
                .lag(1)
                .build();
        return Objects.requireNonNull(
                finder.found(dump, new Sought(partition, buffer, 0)).oldest());
    }

    private Oldest findIn(@Nullable Object value, boolean atWork) {
        reader.found = new Whereabouts("handle", value, atWork);
        return find(Duration.ofSeconds(9));
    }

    @Test
    void record_thatWasNotPulled_isBuffered() {
        long token = partition.tracker().append(12, 1);
        buffer.add(
                partition,
                Batch.of(new Object[] {new Fetched.OfRecord(RAW)}, 1, partition.tracker(), new long[] {token}));
        assertThat(find(Duration.ZERO)).isEqualTo(Oldest.of(12, Duration.ZERO, HASH, "buffered"));
    }

    @Test
    void dump_keepsItsOtherFigures() {
        reader.found = new Whereabouts("handle", RAW, true);
        PartitionDump dump = PartitionDump.builder()
                .topic("t")
                .partition(3)
                .epoch(1)
                .buffered(2)
                .inFlight(4)
                .oldest(Oldest.of(12, Duration.ofSeconds(9), null, Oldest.IN_FLIGHT))
                .committed(11)
                .sinceCommit(Duration.ofSeconds(5))
                .position(13)
                .lag(6)
                .lagTime(Duration.ofSeconds(7))
                .trouble("no leader")
                .windowFull(Duration.ofSeconds(8))
                .budgetFull(Duration.ofSeconds(10))
                .build();
        PartitionDump found = finder.found(dump, new Sought(partition, buffer, 0));
        assertThat(found.oldest()).isNotEqualTo(dump.oldest());
        assertThat(found)
                .usingRecursiveComparison()
                .ignoringFieldsMatchingRegexes(".*oldest")
                .isEqualTo(dump);
    }

    @Test
    void record_inAStage_isNamedWithItAndItsKey() {
        assertThat(findIn(new HandlerJob<>(new Decoded.Read<>(RAW, RAW)), true))
                .isEqualTo(Oldest.of(12, Duration.ofSeconds(9), HASH, "in flight, at work in handle"));
        assertThat(findIn(RAW, false).stage()).isEqualTo("in flight, waiting in handle");
        assertThat(findIn(RAW, false).keyHash()).isEqualTo(HASH);
        assertThat(findIn(new ConsumerRecord<>("t", 0, 12, "customer-7", 5), true)
                        .keyHash())
                .isEqualTo(HASH);
    }

    @Test
    void record_ofWhichNobodyKnowsTheKey_hasNone() {
        assertThat(findIn("made of it", true).keyHash()).isNull();
        assertThat(findIn(new ConsumerRecord<>("t", 0, 12, 5, 5), true).keyHash())
                .isNull();
        assertThat(findIn(null, false)).isEqualTo(Oldest.of(12, Duration.ofSeconds(9), null, "in flight in handle"));
    }

    /** Both sources of a merge report the stages downstream of the merge. */
    @Test
    void troubles_thatTwoReadersTell_areToldOnce() {
        SimulatedContext second = new SimulatedContext();
        reader.troubles = List.of("breaker is open", "rate is 0");
        second.troubles = List.of("rate is 0", "breaker is open", "another");
        assertThat(new UnfinishedFinder(() -> List.of(reader, second)).troubles())
                .containsExactly("breaker is open", "rate is 0", "another");
    }

    @Test
    void record_thatIsYoungOrNowhere_isInFlight() {
        reader.found = new Whereabouts("handle", RAW, true);
        assertThat(find(Duration.ofMillis(99)).stage()).isEqualTo("in flight");
        reader.found = null;
        assertThat(find(Duration.ofSeconds(9)).stage()).isEqualTo("in flight");
    }
}
