package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.commit.OffsetTexts;
import dev.weir.kafka.internal.out.client.ClientClosing;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ReplaceableProducer;
import dev.weir.stream.Backoff;
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
 * One transactional id and the client that has it at the moment. A client that can do nothing any more is replaced:
 * {@code initTransactions} of the next one fences it and ends its transaction. Confined to the committing thread, but
 * for {@link #begin} and {@link #send}, which are the pipeline's or the owner's while the transaction is theirs.
 */
final class TransactionalProducer<K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalProducer.class);

    /** The number of requests for an id while a broker refuses it for a reason that passes: about a minute. */
    static final int OPENINGS = 15;

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5));

    /** The client; its counts are of what was sent by it, not by {@link #send}. */
    final ReplaceableProducer<K, V> client;

    private final BooleanSupplier ended;
    private final Consumer<Duration> pause;

    /** True if no other run has the id. */
    private final boolean isOfRun;

    /**
     * Topics that were recreated since the client was opened. It commits offsets by the ids that it learned first, and
     * repeats a request that the brokers refuse for such an id until {@code max.block.ms} is over.
     */
    private final Set<String> outdated = ConcurrentHashMap.newKeySet();

    /** Guards the next two. */
    private final ReentrantLock offsetsLock = new ReentrantLock();

    /** The thread that waits for offsets to be taken. */
    private @Nullable Thread offsetsSender;

    /** True if that one is not to wait any longer. */
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
     * Creates one, not open, with an id that no other run is given: whoever fences it means the run to go on with
     * another client. Waits no longer once {@code ended}.
     *
     * @param pause waits for so long, or until the end
     */
    static <K, V> TransactionalProducer<K, V> ofRun(
            Supplier<Producer<K, V>> clients, BooleanSupplier ended, Consumer<Duration> pause) {
        return new TransactionalProducer<>(clients, ClientProgress.NONE, ended, pause, true);
    }

    /** The same with an id that a user gave: whoever fences it is another run, from which it is not taken back. */
    static <K, V> TransactionalProducer<K, V> ofUser(
            Supplier<Producer<K, V>> clients,
            ClientProgress progress,
            BooleanSupplier ended,
            Consumer<Duration> pause) {
        return new TransactionalProducer<>(clients, progress, ended, pause, false);
    }

    /**
     * Makes the client and fences whoever had the id. Waits for brokers that are away, and tries {@link #OPENINGS}
     * times if they refuse it for a reason that passes.
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
            LOG.warn("no coordinator for transactions answers, waiting on: {}", refused.getMessage());
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

    /** A configuration that was good once is good: names of brokers are not resolved at the moment. */
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

    /** Adds offsets to the transaction, if there are any; {@link #breakOff} ends the wait for that. */
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
            throw new KafkaException("the commit was broken off, as its offsets are not taken: " + offsets.keySet());
        }
    }

    /** Notes who waits, and returns whether the one before was broken off, which is not to be interrupted any more. */
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

    /** A topic of that name is another one than it was. Any thread. */
    void topicRecreated(String name) {
        outdated.add(name);
    }

    /**
     * Returns whether somebody waits for offsets to be taken that nobody takes: the client may name a topic by its id
     * from before it was recreated. Any thread.
     */
    boolean waitsInVain(Collection<TopicPartition> ids) {
        offsetsLock.lock();
        try {
            return offsetsSender != null && ids.stream().anyMatch(id -> outdated.contains(id.topic()));
        } finally {
            offsetsLock.unlock();
        }
    }

    /** Commits; an answer that is late is asked for again, as only that says what became of the transaction. */
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
     * Ends whatever transaction is open so that nothing of it becomes visible, and is ready for the next.
     *
     * @throws KafkaException if another run has the id of a user
     */
    void abort() {
        while (!isAborted()) {
            LOG.debug("asking again for an abort");
        }
    }

    /** Returns false if nobody has answered, and only the answer says whether another run has the id. */
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
                LOG.warn("no answer to the abort of a transaction, asking again: {}", broken.getMessage());
                return false;
            }
            LOG.debug("another producer takes the place of one that cannot abort: {}", broken.toString());
            close(Duration.ZERO);
            open();
        }
        return true;
    }

    /** Makes every wait in the client return with an exception; {@link #abort} replaces it. Any thread. */
    void breakOff() {
        client.breakOff();
        // A client that is closed leaves one waiting whose request is in flight.
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

    /** Closes the client, which aborts what it has open if it can in time. */
    void close(Duration patience) {
        client.leave(patience);
    }
}
