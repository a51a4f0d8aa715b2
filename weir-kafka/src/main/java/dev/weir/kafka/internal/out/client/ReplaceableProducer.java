package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.meters.AgedSendCounts;
import dev.weir.kafka.internal.meters.ProducerLook;
import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.kafka.internal.out.client.ClientHealth.Found;
import dev.weir.kafka.internal.out.client.ClientProgress.StuckException;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer that replaces its client after an error, or if the client no longer completes records. The new client has
 * the same configuration. Confined to one thread, except where noted. The monitoring thread calls {@link #look}. Any
 * thread may call {@link #close} at any time, and {@link #send} while no client is being replaced.
 */
public final class ReplaceableProducer<K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(ReplaceableProducer.class);

    /** A client with the counts of its own records. */
    private record Opened<K, V>(
            Producer<K, V> client,
            ClientThread thread,
            ProducerLook meters,
            AgedSendCounts counts,
            Set<String> topics,
            ReentrantLock lock) {

        Opened(Producer<K, V> client) {
            this(
                    client,
                    ClientThread.of(client),
                    ProducerLook.of(client),
                    AgedSendCounts.ofAnyThread(),
                    ConcurrentHashMap.newKeySet(),
                    new ReentrantLock());
        }

        /** Counts a record that is about to be sent, and returns the counts for its acknowledgement. */
        SendCounts sends(String topic) {
            lock.lock(); // counting a record and adding its topic is one step for other threads
            try {
                if (counts.unanswered() == 0) {
                    topics.clear(); // no record in flight needs the earlier topics
                }
                topics.add(topic);
                SendCounts present = counts.present();
                present.sends();
                return present;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Decides what to do when a client cannot be opened. */
    @FunctionalInterface
    public interface Patience<X extends Exception> {

        /**
         * If another attempt may succeed, waits if necessary and returns; otherwise throws an exception.
         *
         * @param refusals the number of consecutive failures, not counting timeouts
         */
        void refused(KafkaException refusal, int refusals) throws X;
    }

    private final Supplier<Producer<K, V>> clients;

    /** Confined to the monitoring thread. */
    private final ClientHealth health;

    private final ClientProgress progress;

    /** The problem of a stuck client, found by the last check. */
    private volatile String stuck = "";

    /** The open client; null before the first record, and between an error and the next attempt. */
    private volatile @Nullable Opened<K, V> opened;

    /** The number of clients opened so far. Confined to the sending thread. */
    private int clientsOpened;

    private volatile boolean closed;

    /**
     * Creates a producer without opening a client.
     *
     * @param clients opens a client, which this producer closes
     * @param shared whether other writers use the same clients
     * @param progress detects a stuck client
     */
    public ReplaceableProducer(Supplier<Producer<K, V>> clients, boolean shared, ClientProgress progress) {
        this.clients = clients;
        this.health = new ClientHealth(shared);
        this.progress = progress;
    }

    /**
     * Opens a client unless one is open.
     *
     * @return the client's number, for {@link #refused}
     * @throws org.apache.kafka.common.KafkaException if the client cannot be opened; see {@link #hasOpened}
     */
    public int open() {
        var ignored = current();
        return clientsOpened;
    }

    /**
     * Opens a client, with as many attempts as necessary. The caller closes the previous client.
     *
     * @return the new client
     */
    public <X extends Exception> Producer<K, V> replace(Patience<X> patience) throws X {
        int refusals = 0;
        while (true) {
            try {
                return opened().client;
            } catch (InterruptException interrupted) {
                throw interrupted;
            } catch (KafkaException refusal) {
                refusals += refusal instanceof TimeoutException ? 0 : 1;
                patience.refused(refusal, refusals);
            }
        }
    }

    /** Returns the open client, or null. May be called from any thread. */
    public @Nullable Producer<K, V> client() {
        Opened<K, V> open = opened;
        return open == null ? null : open.client;
    }

    /** Returns the metrics of the open client, or null. May be called from any thread. */
    public @Nullable ProducerLook meters() {
        Opened<K, V> open = opened;
        return open == null ? null : open.meters;
    }

    /**
     * Returns the thread of the open client; an unknown thread if there is no client. May be called from any thread.
     */
    public ClientThread thread() {
        Opened<K, V> open = opened;
        return open == null ? new ClientThread() : open.thread;
    }

    /** Returns whether a client was opened before, which shows that the configuration works. */
    public boolean hasOpened() {
        return clientsOpened > 0;
    }

    private Opened<K, V> current() {
        Opened<K, V> open = opened;
        return open == null ? opened() : open;
    }

    private Opened<K, V> opened() {
        if (closed) {
            throw new IllegalStateException("the producer is closed");
        }
        Opened<K, V> open = new Opened<>(clients.get());
        clientsOpened++;
        opened = open;
        if (closed) {
            // A concurrent close() may have run before this client was stored, and thus not have closed it.
            ClientClosing.begin(open.client);
        }
        return open;
    }

    /** Sends a record with the open client or a new one. The callback is called after the outcome is counted. */
    public Future<RecordMetadata> send(ProducerRecord<K, V> record, Callback answer) {
        Opened<K, V> by = current();
        SendCounts counts = by.sends(record.topic());
        boolean isTaken = false;
        try {
            Future<RecordMetadata> taken = by.client.send(record, (written, refusal) -> {
                by.thread.heard();
                counts.answers();
                answer.onCompletion(written, refusal);
            });
            isTaken = true;
            return taken;
        } finally {
            if (!isTaken) {
                counts.sendsNot();
            }
        }
    }

    /** Waits until all records sent with the open client are complete. */
    public void flush() {
        Opened<K, V> open = opened;
        if (open != null) {
            open.client.flush();
        }
    }

    /**
     * Closes the client that reported an exception, because it may no longer work. The next record opens another
     * client. Does nothing if the exception is a timeout or concerns only one record.
     *
     * @param number the number of the client that reported the exception; ignored if this client is no longer open
     * @throws KafkaPipelineException if the client's thread hangs while it has records
     */
    public void refused(int number, Exception refusal, Duration patience) {
        boolean isOfClient = !(refusal instanceof TimeoutException) && !RecordRefusals.isOfRecord(refusal);
        Opened<K, V> open = opened;
        if (isOfClient && number == clientsOpened && open != null) {
            opened = null;
            if (!ClientClosing.close(open.client, patience) && open.counts.unanswered() > 0) {
                throw ClientHealth.hangs(open.thread);
            }
        }
    }

    /** Closes the open client. The next record opens another one. */
    public void leave(Duration patience) {
        Opened<K, V> open = opened;
        if (open != null) {
            opened = null;
            boolean ignored = ClientClosing.close(open.client, patience);
        }
    }

    /** Makes the open client fail all incomplete records, without waiting for it. May be called from any thread. */
    public void breakOff() {
        Opened<K, V> open = opened;
        if (open != null) {
            ClientClosing.begin(open.client);
        }
    }

    /**
     * Checks whether the open client can still complete records. Closes a stuck client: its records fail, and the next
     * record opens another client. Must be called by one thread, several times a second.
     *
     * @param awaited whether the caller also waits for something else, such as a commit
     */
    public Found look(long nowNanos, boolean awaited) {
        Opened<K, V> open = opened;
        if (open == null || closed) {
            return Found.WELL;
        }
        AgedSendCounts counts = open.counts;
        long answered = counts.answered();
        Found found = health.look(open.client, open.thread, answered, counts.unanswered(), awaited, nowNanos);
        StuckException wrong = found == Found.WELL && !open.thread.isClosing()
                ? progress.look(counts.oldestNanos(nowNanos), open.topics, nowNanos)
                : null;
        if (wrong == null) {
            return found;
        }
        stuck = Thrown.reason(wrong);
        ClientClosing.begin(open.client);
        return Found.STUCK;
    }

    /** Returns the problem found by the last check that returned {@link Found#STUCK}. */
    public String stuck() {
        return stuck;
    }

    /**
     * Checks the client of a run like {@link #look(long, boolean)}, and logs a stuck client.
     *
     * @param where text to append to the log line
     * @return the failure of the run, or null if the run can continue
     */
    public @Nullable KafkaPipelineException look(long nowNanos, boolean awaited, String where) {
        Found found = look(nowNanos, awaited);
        if (found == Found.STUCK) {
            LOG.warn("{}; another producer takes its place{}", stuck(), where);
        }
        return health.failure(found);
    }

    /** Closes this producer and the open client. */
    public void close(Duration patience) {
        closed = true;
        leave(patience);
    }
}
