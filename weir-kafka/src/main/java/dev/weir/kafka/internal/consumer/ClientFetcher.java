package dev.weir.kafka.internal.consumer;

import java.time.Duration;
import java.util.Collection;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;

/** Fetches by Kafka's own client, the one that is also the member of the group. See {@link Fetcher} for threads. */
final class ClientFetcher implements Fetcher {

    private final Consumer<byte[], byte[]> client;
    private final ClientContact contact;

    ClientFetcher(Consumer<byte[], byte[]> client) {
        this.client = client;
        this.contact = new ClientContact(client);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(long nanos) {
        return client.poll(Duration.ofNanos(nanos));
    }

    @Override
    public void wakeup() {
        client.wakeup();
    }

    /** The client knows before anybody else. */
    @Override
    public void assigned(Collection<TopicPartition> ids) {}

    @Override
    public void withdrawn(Collection<TopicPartition> ids) {}

    @Override
    public void pause(Collection<TopicPartition> ids) {
        client.pause(ids);
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        client.resume(ids);
    }

    @Override
    public void seek(TopicPartition id, long offset) {
        client.seek(id, offset);
    }

    @Override
    public long position(TopicPartition id) {
        try {
            return client.position(id, Duration.ZERO);
        } catch (RetriableException | WakeupException | InvalidOffsetException | IllegalStateException notYetKnown) {
            // Right after the assignment, during a leader change or a reset; a poll will say what is invalid.
            return UNKNOWN;
        }
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
