package dev.weir.command.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/**
 * Tests polls that run out of memory. Regression: {@code weir consume} and {@code weir replay} did not say which record
 * was too large.
 */
class RecordReaderTest {

    private static final TopicPartition FIRST = new TopicPartition("t", 0);
    private static final TopicPartition SECOND = new TopicPartition("t", 1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final byte[] LARGE = new byte[8];

    private final List<Client> clients = new ArrayList<>();
    private final List<String> read = new ArrayList<>();
    private long nowNanos;

    /** Polls until a response arrives. */
    private int latencyPolls;

    /** Runs out of memory as Kafka's client does: it loses a poll's records. */
    private final class Client extends MockConsumer<byte[], byte[]> {

        private final int mostRecords;
        private final Set<TopicPartition> filled = new HashSet<>();
        private int pollsSinceAssigned;

        Client(Map<String, Object> config) {
            super("none");
            this.mostRecords = (int) Objects.requireNonNull(config.get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG));
            setMaxPollRecords(mostRecords);
        }

        @Override
        public synchronized void assign(Collection<TopicPartition> partitions) {
            super.assign(partitions);
            pollsSinceAssigned = 0;
            for (TopicPartition id : partitions) {
                boolean isNew = filled.add(id);
                for (int offset = 0; isNew && offset < 4; offset++) {
                    boolean isLarge = id.equals(SECOND) && offset == 2;
                    addRecord(new ConsumerRecord<>(
                            id.topic(), id.partition(), offset, new byte[1], isLarge ? LARGE : new byte[1]));
                }
                updateEndOffsets(Map.of(id, 4L));
            }
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration time) {
            nowNanos += POLL_NANOS;
            if (mostRecords == 1 && pollsSinceAssigned++ < latencyPolls) {
                return ConsumerRecords.empty();
            }
            ConsumerRecords<byte[], byte[]> records = super.poll(time);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                if (record.value() == LARGE || mostRecords > 10) {
                    if (record.value() == LARGE) {
                        seek(SECOND, record.offset());
                    }
                    throw new OutOfMemoryError("planned");
                }
            }
            return records;
        }
    }

    private RecordReader reader(int mostRecords) {
        return new RecordReader(
                Map.of(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, mostRecords),
                config -> {
                    clients.add(new Client(config));
                    return clients.getLast();
                },
                id -> "Or leave out a record of " + id + ".",
                () -> nowNanos);
    }

    private void readTo(RecordReader reader, int count) {
        for (int polls = 0; read.size() < count && polls < 100; polls++) {
            reader.poll(Duration.ZERO).forEach(record -> read.add(record.partition() + "@" + record.offset()));
        }
    }

    /** Regression: a command failed if retention deleted records between its queries of the end and the beginning. */
    @Test
    void nearest_inALogWhoseBeginningHasMovedPastItsEnd_isTheBeginning() {
        assertThat(RecordReader.nearest(5, 20, 10)).isEqualTo(20);
        assertThat(RecordReader.nearest(30, 20, 10)).isEqualTo(20);
    }

    @Test
    void nearest_isTheOffsetItselfOrAnEndOfTheLog() {
        assertThat(RecordReader.nearest(5, 10, 20)).isEqualTo(10);
        assertThat(RecordReader.nearest(15, 10, 20)).isEqualTo(15);
        assertThat(RecordReader.nearest(25, 10, 20)).isEqualTo(20);
    }

    @Test
    void recordThatExhaustsTheHeap_isNamed_onceAllBeforeItAreRead() {
        RecordReader reader = reader(10);
        reader.consumer().assign(Set.of(FIRST, SECOND));
        reader.seek(FIRST, 1);
        reader.seek(SECOND, 0);
        assertThatThrownBy(() -> readTo(reader, 8)).isInstanceOfSatisfying(CliFailure.class, failure -> {
            assertThat(failure).hasMessageContaining("record t-1@2 does not fit into the heap of ");
            assertThat(failure.wayOut()).contains("WEIR_OPTS=-Xmx", "Or leave out a record of t-1.");
            assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        });
        assertThat(read).contains("1@0", "1@1").doesNotHaveDuplicates().doesNotContain("0@0");
        assertThat(clients.getFirst().closed()).isTrue();
    }

    @Test
    void recordsThatExhaustTheHeapTogether_areReadOneByOne() {
        RecordReader reader = reader(11);
        reader.consumer().assign(Set.of(FIRST));
        reader.seek(FIRST, 0);
        readTo(reader, 4);
        assertThat(read).containsExactly("0@0", "0@1", "0@2", "0@3");
        assertThat(clients).hasSize(2);
    }

    /**
     * Regression: a partition with steady traffic kept other partitions from being read, and a replay could not end.
     */
    @Test
    void partitionThatAlwaysHasRecords_givesUpItsTurn() {
        RecordReader reader = reader(11);
        reader.consumer().assign(Set.of(FIRST, SECOND));
        reader.seek(FIRST, 0);
        reader.seek(SECOND, 0);
        readTo(reader, 4);
        assertThat(read).containsExactlyInAnyOrder("0@0", "0@1", "1@0", "1@1");
        assertThat(clients).hasSize(2);
    }

    /** A response may take longer than a turn, and must still arrive. */
    @Test
    void partitionsWhoseResponsesTakeLongerThanATurn_areRead() {
        latencyPolls = 5;
        RecordReader reader = reader(11);
        reader.consumer().assign(Set.of(FIRST, SECOND));
        reader.seek(FIRST, 0);
        reader.seek(SECOND, 0);
        readTo(reader, 4);
        assertThat(read).contains("0@0", "1@0");
    }

    @Test
    void partitionThatIsLeftOut_isNotRead_beforeOrAfterAPollRanOutOfMemory() {
        for (int mostRecords : List.of(10, 11)) {
            read.clear();
            RecordReader reader = reader(mostRecords);
            reader.consumer().assign(Set.of(FIRST, SECOND));
            reader.seek(FIRST, 0);
            reader.seek(SECOND, 0);
            reader.leaveOut(SECOND);
            readTo(reader, 4);
            assertThat(read).containsExactly("0@0", "0@1", "0@2", "0@3");
        }
    }

    @Test
    void partitionThatIsLeftOut_betweenSingleRecords_takesNoTurn() {
        RecordReader reader = reader(11);
        reader.consumer().assign(Set.of(FIRST, SECOND));
        reader.seek(FIRST, 0);
        reader.seek(SECOND, 0);
        readTo(reader, 3);
        reader.leaveOut(SECOND);
        readTo(reader, 6);
        assertThat(read).contains("0@3").doesNotContain("1@2");
    }
}
