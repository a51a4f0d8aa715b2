package dev.weir.kafka;

import dev.weir.kafka.internal.out.client.ClientHealth;
import dev.weir.kafka.internal.out.client.ClientInterrupts;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.internal.out.client.ReplaceableProducer;
import dev.weir.kafka.internal.out.write.RunProducers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * A producer for use outside pipelines, or by several pipelines through {@link KafkaSink#with(Sender)}. Thread-safe.
 * The code that opens a sender must close it, after the end of the pipelines that use it.
 *
 * {@snippet :
 * try (Sender<String, Order> sender = Sender.open(settings)) {
 *     RecordMetadata written = sender.sendAndWait(new ProducerRecord<>("orders", order.id(), order));
 * }
 * }
 *
 * <p>Transient errors are retried for as long as they last. Sending blocks for at most {@code max.block.ms} while the
 * producer's {@code buffer.memory} is used up. After any of the following errors, all sends fail, including those in
 * flight, and a new sender must be opened:
 *
 * <ul>
 *   <li>an {@link Error} on the thread of Kafka's client, for example from an interceptor;
 *   <li>with {@link ProducePath#LEAN}, credentials that no broker accepts;
 *   <li>a stuck client, without a response for four times {@code request.timeout.ms} (at least 10 s), although every
 *       partition of its topics has a leader and enough replicas in sync. The client is closed. Records without an
 *       acknowledgement may have been written;
 *   <li>a batch that is too large for its topic and that the client splits endlessly.
 * </ul>
 */
public final class Sender<K, V> implements AutoCloseable {

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 200;
    private static final String CLOSED = "the sender is closed";

    /** A sent record and the future of its outcome. */
    private record Awaited(String topic, CompletableFuture<RecordMetadata> answer) {

        void fail(Throwable why) {
            answer.completeExceptionally(new ProduceException(topic, why));
        }
    }

    private final ProducerSettings<K, V> settings;
    private final RunProducers<K, V> producers;
    private final ReplaceableProducer<K, V> producer;
    private final Runnable endWatch;
    private final Set<Awaited> awaited = ConcurrentHashMap.newKeySet();

    /** The reason why the client can no longer write, or null. Set by the monitoring or the closing thread. */
    private volatile @Nullable IllegalStateException broken;

    private volatile boolean closing;

    private Sender(ProducerSettings<K, V> settings) {
        this.settings = settings;
        this.producers = new RunProducers<>(settings);
        this.producer = new ReplaceableProducer<>(producers, true, ClientProgress.of(settings.clientConfig()));
        int ignored = producer.open();
        this.endWatch = ClientWatch.begin(settings.clientConfig(), this::look);
    }

    /** Fails all pending records if the client can no longer write. */
    private void look(long nowNanos) {
        if (closing) {
            return;
        }
        IllegalStateException dead = broken;
        if (dead == null) {
            String fault = fault(nowNanos);
            if (fault.isEmpty()) {
                return;
            }
            dead = new IllegalStateException(fault + "; open another sender");
            broken = dead;
            failAwaited(dead);
            // Fail unsent records too, because the client may still write them after the records of a new sender.
            producer.breakOff();
        }
        failAwaited(dead);
    }

    private String fault(long nowNanos) {
        if (producer.thread().isDead()) {
            return ClientHealth.DEAD;
        }
        return switch (producer.look(nowNanos, false)) {
            case WELL, HANGS -> "";
            case DEAD -> ClientHealth.DEAD;
            case SPLITS -> ClientHealth.ENDLESS;
            case STUCK -> producer.stuck();
        };
    }

    private void failAwaited(IllegalStateException why) {
        awaited.removeIf(each -> {
            each.fail(why);
            return true;
        });
    }

    /** Opens a producer, which is idempotent unless the settings disable it. Does not wait for brokers. */
    public static <K, V> Sender<K, V> open(ProducerSettings<K, V> settings) {
        return new Sender<>(Objects.requireNonNull(settings, "settings"));
    }

    ProducerSettings<K, V> settings() {
        return settings;
    }

    Producer<K, V> client() {
        Producer<K, V> client = producer.client();
        if (client == null) {
            throw new IllegalStateException(CLOSED);
        }
        return client;
    }

    /**
     * Sends a record.
     *
     * @return a future that completes when the brokers have acknowledged the record, and fails with
     *     {@link ProduceException} if it cannot be written. It completes on the producer's own thread, which must not
     *     be blocked. Cancellation has no effect
     */
    public CompletableFuture<RecordMetadata> send(ProducerRecord<K, V> record) {
        Objects.requireNonNull(record, "record");
        Awaited sending = new Awaited(record.topic(), new CompletableFuture<>());
        IllegalStateException dead = broken;
        if (dead != null) {
            sending.fail(dead);
            return sending.answer;
        }
        awaited.add(sending);
        boolean isTaken = false;
        try {
            var ignored = producer.send(record, (metadata, refusal) -> {
                awaited.remove(sending);
                if (refusal == null) {
                    sending.answer.complete(metadata);
                } else {
                    sending.fail(refusal);
                }
            });
            isTaken = true;
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException refusal) {
            sending.fail(refusal);
        } finally {
            if (!isTaken) {
                awaited.remove(sending);
            }
        }
        return sending.answer;
    }

    /**
     * Sends a record and waits until the brokers have acknowledged it.
     *
     * @throws ProduceException if the record cannot be written
     */
    public RecordMetadata sendAndWait(ProducerRecord<K, V> record) throws InterruptedException {
        return sendAll(List.of(record)).getFirst();
    }

    /**
     * Sends records in order and waits until the brokers have acknowledged all of them.
     *
     * @return the metadata of the records, in order
     * @throws ProduceException for the first record that cannot be written; others may have been written
     */
    public List<RecordMetadata> sendAll(Collection<ProducerRecord<K, V>> records) throws InterruptedException {
        List<ProducerRecord<K, V>> all = List.copyOf(Objects.requireNonNull(records, "records"));
        List<Future<RecordMetadata>> futures = new ArrayList<>(all.size());
        ProduceException refused = null;
        try {
            for (int i = 0; i < all.size() && refused == null; i++) {
                try {
                    futures.add(producer.send(all.get(i), (metadata, refusal) -> {}));
                } catch (InterruptException interrupted) {
                    throw interrupted;
                } catch (RuntimeException refusal) {
                    refused = new ProduceException(all.get(i).topic(), refusal);
                }
            }
            List<RecordMetadata> written = new ArrayList<>(futures.size());
            for (int i = 0; i < futures.size(); i++) {
                try {
                    written.add(await(futures.get(i), all.get(i).topic()));
                } catch (ExecutionException refusal) {
                    // The record's exception does not contain the reason why a broken client was closed.
                    Throwable cause = broken == null ? refusal.getCause() : broken;
                    throw new ProduceException(all.get(i).topic(), Objects.requireNonNullElse(cause, refusal));
                }
            }
            if (refused != null) {
                throw refused;
            }
            return written;
        } catch (InterruptException interrupted) {
            throw ClientInterrupts.unwrapped(interrupted);
        }
    }

    private RecordMetadata await(Future<RecordMetadata> answer, String topic)
            throws InterruptedException, ExecutionException {
        while (true) {
            try {
                return answer.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                IllegalStateException dead = broken;
                if (dead != null && !answer.isDone()) {
                    throw new ProduceException(topic, dead);
                }
            }
        }
    }

    /** Waits up to 30 s until all sent records have been written, and closes the producer. */
    @Override
    public void close() {
        close(CLOSE_PATIENCE);
    }

    /** Closes the producer with the given timeout. Records that have not been written by then fail. */
    public void close(Duration patience) {
        Objects.requireNonNull(patience, "patience");
        closing = true;
        endWatch.run();
        try {
            producer.close(patience);
        } finally {
            // A stuck client does not fail its unwritten records itself.
            IllegalStateException closed = new IllegalStateException(CLOSED);
            broken = closed;
            failAwaited(closed);
            producers.close();
        }
    }
}
