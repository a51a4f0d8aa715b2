package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.fetch.Fetched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** A client whose group has the commits that a test sets. Confined to one thread. */
final class GroupClient extends MockConsumer<byte[], byte[]> {

    private final ManualClock clock;
    final Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
    final List<Set<TopicPartition>> asked = new ArrayList<>();
    final List<Duration> timeouts = new ArrayList<>();
    final List<String> sought = new ArrayList<>();

    @Nullable
    KafkaException failure;

    Duration slowness = Duration.ZERO;

    /** The number of responses without commits that come first. */
    int forgetful;

    GroupClient(ManualClock clock) {
        super("earliest");
        this.clock = clock;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration within) {
        asked.add(Set.copyOf(ids));
        timeouts.add(within);
        clock.nanos += slowness.toNanos();
        if (failure != null) {
            throw failure;
        }
        Map<TopicPartition, OffsetAndMetadata> found = new LinkedHashMap<>(commits);
        found.keySet().retainAll(forgetful-- > 0 ? Set.of() : ids);
        return found;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    public void seek(TopicPartition id, OffsetAndMetadata place) {
        sought.add(id + "@" + place.offset() + " epoch "
                + place.leaderEpoch().map(String::valueOf).orElse("none"));
        super.seek(id, place);
    }

    /** Returns an empty record of partition {@code t-0}. */
    static Fetched fetched(long offset, int epoch) {
        return new Fetched.OfRecord(new ConsumerRecord<>(
                "t",
                0,
                offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                new byte[0],
                new byte[0],
                new RecordHeaders(),
                Optional.of(epoch)));
    }
}
