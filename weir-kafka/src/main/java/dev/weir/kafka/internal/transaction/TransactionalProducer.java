package dev.weir.kafka.internal.transaction;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transactional id and the client that has it at the moment. A client that can do nothing any more is replaced:
 * {@code initTransactions} of the next one fences it and ends its transaction. Confined to the committing thread, but
 * for {@link #begin} and {@link #send}, which are the pipeline's or the owner's while the transaction is theirs.
 */
final class TransactionalProducer<K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalProducer.class);

    private final Supplier<Producer<K, V>> clients;
    private final BooleanSupplier ended;
    private volatile @Nullable Producer<K, V> client;

    /** Creates one that is not open; waits no longer once {@code ended}. */
    TransactionalProducer(Supplier<Producer<K, V>> clients, BooleanSupplier ended) {
        this.clients = clients;
        this.ended = ended;
    }

    /** Makes the client and fences whoever had the id; waits for brokers that are away. */
    void open() {
        while (true) {
            Producer<K, V> opening = clients.get();
            try {
                opening.initTransactions();
                client = opening;
                return;
            } catch (TimeoutException away) {
                opening.close(Duration.ZERO);
                if (ended.getAsBoolean()) {
                    throw away;
                }
                LOG.warn("no coordinator for transactions answers, waiting on: {}", away.getMessage());
            } catch (RuntimeException refused) {
                opening.close(Duration.ZERO);
                throw refused;
            }
        }
    }

    private Producer<K, V> client() {
        Producer<K, V> open = client;
        if (open == null) {
            throw new IllegalStateException("the producer is not open");
        }
        return open;
    }

    void begin() {
        client().beginTransaction();
    }

    void send(ProducerRecord<K, V> record, Callback answer) {
        var ignored = client().send(record, answer);
    }

    void flush() {
        client().flush();
    }

    /** Commits; an answer that is late is asked for again, as only that says what became of the transaction. */
    void commit(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member) {
        if (!offsets.isEmpty()) {
            client().sendOffsetsToTransaction(offsets, member);
        }
        while (true) {
            try {
                client().commitTransaction();
                return;
            } catch (TimeoutException late) {
                if (ended.getAsBoolean()) {
                    throw late;
                }
                LOG.warn("no answer to the commit of a transaction, asking again: {}", late.getMessage());
            }
        }
    }

    /** Ends whatever transaction is open so that nothing of it becomes visible, and is ready for the next. */
    void abort() {
        try {
            client().abortTransaction();
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (KafkaException | IllegalStateException broken) {
            LOG.debug("another producer takes the place of one that cannot abort: {}", broken.toString());
            client().close(Duration.ZERO);
            open();
        }
    }

    /** Closes the client, which aborts what it has open if it can in time. */
    void close(Duration patience) {
        Producer<K, V> closing = client;
        if (closing != null) {
            closing.close(patience);
        }
    }
}
