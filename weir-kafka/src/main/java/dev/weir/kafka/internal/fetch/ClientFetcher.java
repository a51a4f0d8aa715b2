package dev.weir.kafka.internal.fetch;

import dev.weir.kafka.internal.lookup.Contact;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Fetches by Kafka's own client, the one that is also the member of the group. See {@link Fetcher} for threads. */
public final class ClientFetcher implements Fetcher {

    private final Consumer<byte[], byte[]> client;
    private final ClientContact contact;

    /** Where the next poll goes on in those that were sought, as the seeks and the polls since have said. */
    private final Map<TopicPartition, LogPosition> positions = new HashMap<>();

    /** What is being revoked: its positions are asked for once more after that. */
    private final Set<TopicPartition> leaving = new HashSet<>();

    public ClientFetcher(Consumer<byte[], byte[]> client) {
        this.client = client;
        this.contact = new ClientContact(client);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(long nanos) {
        positions.keySet().removeAll(leaving);
        leaving.clear();
        ConsumerRecords<byte[], byte[]> records = client.poll(Duration.ofNanos(nanos));
        records.nextOffsets().forEach((id, next) -> positions.replace(id, LogPosition.of(next)));
        if (records.nextOffsets().isEmpty()) {
            follow(records);
        }
        return records;
    }

    /** An interceptor may have made others of them, which do not say what they are followed by. */
    private void follow(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            ConsumerRecord<byte[], byte[]> last = records.records(id).getLast();
            positions.replace(
                    id, new LogPosition(last.offset() + 1, last.leaderEpoch().orElse(LogPosition.NO_EPOCH)));
        }
    }

    @Override
    public void wakeup() {
        client.wakeup();
    }

    /** The client knows before anybody else. */
    @Override
    public void assigned(Collection<TopicPartition> ids) {
        positions.keySet().removeAll(ids);
        leaving.removeAll(ids);
    }

    @Override
    public void withdrawn(Collection<TopicPartition> ids) {
        leaving.addAll(ids);
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        client.pause(ids);
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        client.resume(ids);
    }

    /** Anywhere: a client without a position looks for one. */
    @Override
    public void hold(TopicPartition id) {
        positions.remove(id);
        client.seek(id, 0);
    }

    @Override
    public void seek(TopicPartition id, LogPosition place) {
        positions.put(id, place);
        client.seek(id, place.commit(""));
    }

    @Override
    public long position(TopicPartition id) {
        LogPosition position = positions.get(id);
        return position == null ? UNKNOWN : position.offset();
    }

    @Override
    public int leaderEpoch(TopicPartition id) {
        LogPosition position = positions.get(id);
        return position == null ? UNKNOWN : position.leaderEpoch();
    }

    @Override
    public long lag(TopicPartition id) {
        try {
            return client.currentLag(id).orElse(UNKNOWN);
        } catch (IllegalStateException | KafkaException notKnown) {
            return UNKNOWN;
        }
    }

    @Override
    public Contact contact() {
        return contact.get();
    }

    /** The client belongs to its owner. */
    @Override
    public void close() {}
}
