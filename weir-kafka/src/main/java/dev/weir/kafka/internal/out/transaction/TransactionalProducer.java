package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.commit.OffsetTexts;
import dev.weir.kafka.internal.out.client.ClientClosing;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ReplaceableProducer;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transactional id and its current client. A client that becomes unusable is replaced: {@code initTransactions} of
 * the new client fences the old one and ends its transaction. Confined to the committing thread, except for
 * {@link #begin} and {@link #send}, which the thread that fills the transaction calls.
 */
final class TransactionalProducer<K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalProducer.class);

    /** Maximum number of attempts, over about a minute, while the brokers temporarily refuse the transactional id. */
    static final int OPENINGS = 15;

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5));

    /** The client. Does not count the records sent with {@link #send}. */
    final ReplaceableProducer<K, V> client;

    private final BooleanSupplier ended;
    private final Consumer<Duration> pause;

    /** True if only this run uses the id. */
    private final boolean isOfRun;

    /**
     * Topics recreated since the client was opened. The client commits offsets with their old ids, which brokers
     * reject.
     */
    private final Set<String> outdated = ConcurrentHashMap.newKeySet();

    /** Guards the next two fields. */
    private final ReentrantLock offsetsLock = new ReentrantLock();

    private @Nullable Thread offsetsSender;

    /** True if {@link #breakOff} has ended the wait of {@link #offsetsSender}. */
    private boolean offsetsBrokenOff;

    private TransactionalProducer(
            Supplier<Producer<K, V>> clients,
            ClientProgress progress,
            BooleanSupplier ended,
            Consumer<Duration> pause,
            boolean isOfRun) {
        this.client = new ReplaceableProducer<>(() -> initialised(clients), false, progress);
        this.ended = ended;
        this.pause = pause;
        this.isOfRun = isOfRun;
    }

    /**
     * Creates a producer with an id that only this run uses. If its client is fenced, it opens another one with the
     * same id. Stops waiting once {@code ended} returns true.
     *
     * @param pause waits for the given time, or until the run has ended
     */
    static <K, V> TransactionalProducer<K, V> ofRun(
            Supplier<Producer<K, V>> clients, BooleanSupplier ended, Consumer<Duration> pause) {
        return new TransactionalProducer<>(clients, ClientProgress.NONE, ended, pause, true);
    }

    /** Creates a producer with an id chosen by a user. Another run that fences the producer keeps the id. */
    static <K, V> TransactionalProducer<K, V> ofUser(
            Supplier<Producer<K, V>> clients,
            ClientProgress progress,
            BooleanSupplier ended,
            Consumer<Duration> pause) {
        return new TransactionalProducer<>(clients, progress, ended, pause, false);
    }

    /**
     * Opens a client, and fences any earlier client with the same id. Waits while brokers are down. Makes up to
     * {@link #OPENINGS} attempts if the brokers temporarily refuse the id.
     */
    void open() {
        var ignored = client.replace(this::refused);
    }

    private void refused(KafkaException refused, int refusals) {
        boolean isAway = refused instanceof TimeoutException;
        if (ended.getAsBoolean() || (!isAway && (refusals == OPENINGS || !mayPass(refused)))) {
            throw refused;
        }
        if (isAway) {
            LOG.warn("no coordinator for transactions answers, still waiting: {}", Thrown.reason(refused));
        } else {
            LOG.warn("transactions cannot be begun at the moment, trying again: {}", refused.toString());
            pause.accept(BACKOFF.after(refusals));
        }
    }

    private Producer<K, V> initialised(Supplier<Producer<K, V>> clients) {
        outdated.clear();
        Producer<K, V> opening = clients.get();
        try {
            opening.initTransactions();
            return opening;
        } catch (RuntimeException refused) {
            boolean ignored = ClientClosing.close(opening, Duration.ZERO);
            throw refused;
        }
    }

    /** Returns whether another attempt may succeed. */
    private boolean mayPass(KafkaException refused) {
        return TransactionFaults.passes(refused)
                || (client.hasOpened() && refused.getCause() instanceof ConfigException);
    }

    private Producer<K, V> client() {
        Producer<K, V> open = client.client();
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

    /** Adds offsets to the transaction, if there are any. {@link #breakOff} ends the wait. */
    void sendOffsets(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member) {
        if (offsets.isEmpty()) {
            return;
        }
        setOffsetsSender(Thread.currentThread());
        boolean isBrokenOff = false;
        try {
            client().sendOffsetsToTransaction(offsets, member);
        } catch (InterruptException interrupted) {
            isBrokenOff = setOffsetsSender(null);
            if (!isBrokenOff) {
                throw interrupted;
            }
        } finally {
            isBrokenOff |= setOffsetsSender(null);
        }
        if (isBrokenOff) {
            throw new KafkaException("the commit was abandoned, as its offsets are not accepted: " + offsets.keySet());
        }
    }

    /**
     * Sets the thread waiting in {@link #sendOffsets}, or null. If {@link #breakOff} ended the previous wait, clears
     * the interrupt flag and returns true.
     */
    private boolean setOffsetsSender(@Nullable Thread sender) {
        offsetsLock.lock();
        try {
            boolean wasBrokenOff = offsetsBrokenOff;
            if (wasBrokenOff) {
                boolean ignored = Thread.interrupted();
            }
            offsetsSender = sender;
            offsetsBrokenOff = false;
            return wasBrokenOff;
        } finally {
            offsetsLock.unlock();
        }
    }

    /** Reports a recreated topic. May be called from any thread. */
    void topicRecreated(String name) {
        outdated.add(name);
    }

    /**
     * Returns whether a thread waits in vain in {@link #sendOffsets}, because its request has the old id of a recreated
     * topic. May be called from any thread.
     */
    boolean waitsInVain(Collection<TopicPartition> ids) {
        offsetsLock.lock();
        try {
            return offsetsSender != null && ids.stream().anyMatch(id -> outdated.contains(id.topic()));
        } finally {
            offsetsLock.unlock();
        }
    }

    /** Commits the transaction. Repeats a request that times out, because only the response shows the outcome. */
    void commit() {
        while (true) {
            try {
                client().commitTransaction();
                return;
            } catch (TimeoutException late) {
                if (ended.getAsBoolean()) {
                    throw late;
                }
                LOG.warn("no answer to the commit of a transaction, asking again: {}", OffsetTexts.messageOf(late));
            }
        }
    }

    /**
     * Aborts the open transaction, if any, and prepares for the next one.
     *
     * @throws KafkaException if another run has taken an id chosen by a user
     */
    void abort() {
        while (!isAborted()) {
            LOG.debug("asking again for an abort");
        }
    }

    /**
     * Aborts the transaction, if necessary by replacing the client. Returns false if the request timed out and must be
     * repeated.
     */
    private boolean isAborted() {
        try {
            client().abortTransaction();
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (KafkaException | IllegalStateException broken) {
            if (!isOfRun && TransactionFaults.isFenced(broken)) {
                throw broken;
            }
            if (!isOfRun && broken instanceof TimeoutException && !ended.getAsBoolean()) {
                LOG.warn("no answer to the abort of a transaction, asking again: {}", Thrown.reason(broken));
                return false;
            }
            LOG.debug("another producer takes the place of one that cannot abort: {}", broken.toString());
            close(Duration.ZERO);
            open();
        }
        return true;
    }

    /**
     * Makes all threads waiting in the client fail. May be called from any thread. {@link #abort} replaces the client.
     */
    void breakOff() {
        client.breakOff();
        // Closing the client does not end the wait for an offsets request in flight. Interrupt the thread.
        offsetsLock.lock();
        try {
            Thread sender = offsetsSender;
            if (sender != null) {
                offsetsBrokenOff = true;
                sender.interrupt();
            }
        } finally {
            offsetsLock.unlock();
        }
    }

    /** Closes the client, which aborts its open transaction if that is possible in time. */
    void close(Duration patience) {
        client.leave(patience);
    }
}
