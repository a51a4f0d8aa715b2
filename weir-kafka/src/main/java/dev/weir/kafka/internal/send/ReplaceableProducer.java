package dev.weir.kafka.internal.send;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.health.ClientClosing;
import dev.weir.kafka.internal.health.ClientHealth;
import dev.weir.kafka.internal.health.ClientHealth.Found;
import dev.weir.kafka.internal.health.ClientThread;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A producer that makes way for another one of the same configuration after an error that may have ended it, or once it
 * gets no answers. Confined to one thread, except {@link #look}, which belongs to the thread of the client's watch, and
 * {@link #close}, which any thread may call.
 */
public final class ReplaceableProducer<K, V> {

    /** A client, with what it was given and has answered; one that is left goes on with a count of its own. */
    private record Opened<K, V>(Producer<K, V> client, ClientThread thread, AtomicLong sent, AtomicLong answers) {

        Opened(Producer<K, V> client) {
            this(client, ClientThread.of(client), new AtomicLong(), new AtomicLong());
        }
    }

    private final Supplier<Producer<K, V>> clients;

    /** Of the thread that looks. */
    private final ClientHealth health;

    /** Null before the first record, and after an error until the next attempt. */
    private volatile @Nullable Opened<K, V> opened;

    /** Of the thread that sends. */
    private int clientsOpened;

    private volatile boolean closed;

    /**
     * Creates one without a client.
     *
     * @param clients opens a client; each is closed here
     * @param health looks at the client that is open
     */
    public ReplaceableProducer(Supplier<Producer<K, V>> clients, ClientHealth health) {
        this.clients = clients;
        this.health = health;
    }

    /**
     * Opens a client unless one is open.
     *
     * @return its number among all clients, for {@link #refused}
     * @throws org.apache.kafka.common.KafkaException if that fails; see {@link #hasOpened}
     */
    public int open() {
        var ignored = current();
        return clientsOpened;
    }

    /** Returns whether there was a client before, so that its configuration is good: opening another may be tried. */
    public boolean hasOpened() {
        return clientsOpened > 0;
    }

    private Opened<K, V> current() {
        Opened<K, V> open = opened;
        if (open == null) {
            open = new Opened<>(clients.get());
            clientsOpened++;
            opened = open;
            if (closed) {
                // Whoever closes may have looked before.
                ClientClosing.begin(open.client);
            }
        }
        return open;
    }

    /** Sends a record by the client that is open, or by a new one, and counts its answer before the callback. */
    public Future<RecordMetadata> send(ProducerRecord<K, V> record, Callback answer) {
        Opened<K, V> by = current();
        by.sent.incrementAndGet();
        boolean isTaken = false;
        try {
            Future<RecordMetadata> taken = by.client.send(record, (written, refusal) -> {
                by.thread.heard();
                by.answers.incrementAndGet();
                answer.onCompletion(written, refusal);
            });
            isTaken = true;
            return taken;
        } finally {
            if (!isTaken) {
                by.sent.decrementAndGet();
            }
        }
    }

    /** Waits until all that was sent by the client that is open is answered. */
    public void flush() {
        Opened<K, V> open = opened;
        if (open != null) {
            open.client.flush();
        }
    }

    /**
     * Closes the client unless the refusal is one of a record or of time: after some errors a client does nothing more,
     * and it does not say after which. The next record opens another one.
     *
     * @param number of the client that refused; if it is not open any more, nothing happens
     */
    public void refused(int number, Exception refusal, Duration patience) {
        boolean isOfClient = switch (refusal) {
            case TimeoutException late -> false;
            case RecordTooLargeException tooLarge -> false;
            case SerializationException notSerialisable -> false;
            case InvalidRecordException invalid -> false;
            case InvalidTimestampException invalid -> false;
            default -> true;
        };
        if (isOfClient && number == clientsOpened) {
            leave(patience);
        }
    }

    private void leave(Duration patience) {
        Opened<K, V> open = opened;
        if (open != null) {
            opened = null;
            boolean ignored = ClientClosing.close(open.client, patience);
        }
    }

    /**
     * Looks whether the client that is open can still answer; one that is stuck is told to close, so that each of its
     * records fails and the next one opens another client. One thread, several times a second.
     */
    public Found look(long nowNanos) {
        Opened<K, V> open = opened;
        if (open == null || closed) {
            return Found.WELL;
        }
        long answered = open.answers.get();
        long unanswered = Math.max(0, open.sent.get() - answered);
        Found found = health.look(open.client, open.thread, answered, unanswered, false, nowNanos);
        if (found == Found.STUCK) {
            ClientClosing.begin(open.client);
        }
        return found;
    }

    /** A sentence about the last look that found {@link Found#STUCK}. */
    public String stuck() {
        return health.stuck();
    }

    /** The failure of a run after a look; null if the run may go on. */
    public @Nullable KafkaPipelineException failure(Found found) {
        return health.failure(found);
    }

    /** Closes the client that is open; none is opened after that to write with. */
    public void close(Duration patience) {
        closed = true;
        leave(patience);
    }
}
