package dev.weir.kafka.internal.producer;

import dev.weir.kafka.ProduceException;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what it pulls and acknowledges an input when the brokers have its record. {@link #run} is confined to the
 * segment's thread; answers come on the producer's own thread.
 */
final class ProducerLoop<T, K, V> implements SinkLoop<T> {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerLoop.class);

    /** How long a failed or cancelled run waits for answers that are under way; they only spare repetition. */
    private static final Duration HASTY_CLOSE = Duration.ofSeconds(2);

    /** How often rejected records are looked for while answers are out. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Producer<K, V> producer;
    private final Function<? super T, ProducerRecord<K, V>> records;
    private final @Nullable Rejects<T, K, V> rejects;
    private final StageContext context;
    private final StageMeter meter;

    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong abandoned = new AtomicLong();
    private volatile @Nullable ProduceException failure;

    // Segment thread: topics that a record was answered for, which therefore exist.
    private final Set<String> knownTopics = new HashSet<>();

    private volatile @Nullable Thread sender;
    private volatile boolean closing;

    /**
     * Creates one.
     *
     * @param records what is written for an element
     * @param rejects takes elements that cannot be written; without it the first of them fails the run
     */
    ProducerLoop(
            Producer<K, V> producer,
            StageContext context,
            Function<? super T, ProducerRecord<K, V>> records,
            @Nullable Rejects<T, K, V> rejects) {
        this.producer = producer;
        this.context = context;
        this.records = records;
        this.rejects = rejects;
        this.meter = context.meter();
        context.depth(() -> (int) Math.min(Integer.MAX_VALUE, unanswered.get()));
    }

    @Override
    public void run(Stage<T> upstream) throws InterruptedException {
        sender = Thread.currentThread();
        try {
            Batch<T> batch;
            while ((batch = upstream.pull(deadline())) != null) {
                long start = System.nanoTime();
                for (int i = 0; i < batch.size(); i++) {
                    send(batch.get(i), batch.target(i), batch.token(i));
                }
                meter.worked(batch.size(), 0, start);
                settleRejects();
            }
            // Returns when all answers have come, however long brokers are away.
            producer.flush();
            settleRejects();
        } catch (InterruptException interrupted) {
            boolean ignored = Thread.interrupted();
            InterruptedException unwrapped = new InterruptedException();
            unwrapped.initCause(interrupted);
            throw unwrapped;
        }
        throwFailure();
    }

    /** While answers are out, one may say that a record cannot be written, which is not to wait for the next batch. */
    private long deadline() {
        return rejects == null || unanswered.get() == 0
                ? Stage.NEVER
                : context.clock().after(LOOK_NANOS);
    }

    private void settleRejects() throws InterruptedException {
        if (rejects != null) {
            rejects.settle(producer);
        }
    }

    private void send(T element, AckTarget target, long token) {
        ProducerRecord<K, V> record;
        try {
            record = records.apply(element);
        } catch (RuntimeException refused) {
            if (rejects == null) {
                throw refused;
            }
            rejects.add(element, null, refused, target, token);
            return;
        }
        send(
                record,
                new Answer(rejects == null ? null : new Rejectable<>(element, record), record.topic(), target, token));
        if (knownTopics.add(record.topic())) {
            awaitFirstAnswer();
        }
    }

    private void send(ProducerRecord<K, V> record, Answer answer) {
        do {
            throwFailure();
            answer.notTaken = null;
            unanswered.incrementAndGet();
            try {
                var ignored = producer.send(record, answer);
            } catch (RuntimeException refused) {
                // Thrown, not called back: interrupted, not serialisable, or a producer that can do nothing any more.
                unanswered.decrementAndGet();
                if (refused instanceof InterruptException) {
                    throw refused;
                }
                if (!answer.isRejected(refused)) {
                    throw new ProduceException(record.topic(), refused);
                }
            }
            if (answer.notTaken != null) {
                waitedInVain(record.topic(), answer.notTaken);
            }
        } while (answer.notTaken != null);
    }

    /**
     * A leader that is not quite ready, of a topic just created, can refuse a producer's first batch and take the second,
     * because it has no sequence of that producer to hold it against. The first is then refused for ever. So nothing
     * follows the first record of a topic until it is answered.
     */
    private void awaitFirstAnswer() {
        producer.flush();
        throwFailure();
    }

    /** The client gave up waiting for room or for metadata. With a topic that exists that passes; keep on. */
    private void waitedInVain(String topic, TimeoutException reason) {
        throwFailure();
        if (!knownTopics.contains(topic)) {
            throw new ProduceException(topic, reason);
        }
        LOG.warn("brokers do not take records for {}, waiting on: {}", topic, reason.getMessage());
    }

    private void throwFailure() {
        ProduceException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }

    /** See {@link StageContext.Termination}; the loop has ended, so nothing is sent any more. */
    String close(Duration patience) {
        closing = true;
        producer.close(patience.compareTo(HASTY_CLOSE) < 0 ? HASTY_CLOSE : patience);
        long left = unanswered.get() + abandoned.get();
        return left == 0 ? "" : left + " records sent without an answer";
    }

    /** What is needed to give a record to somebody else instead. */
    private record Rejectable<T, K, V>(T element, ProducerRecord<K, V> record) {}

    /** Waits for the brokers' answer to one record, which it does not keep alive unless it has to: many are under way. */
    private final class Answer implements Callback {

        private final @Nullable Rejectable<T, K, V> rejectable;
        private final String topic;
        private final AckTarget target;
        private final long token;

        /** Why send did not take the record, if so; segment thread. */
        private @Nullable TimeoutException notTaken;

        Answer(@Nullable Rejectable<T, K, V> rejectable, String topic, AckTarget target, long token) {
            this.rejectable = rejectable;
            this.topic = topic;
            this.target = target;
            this.token = token;
        }

        /** Whether the refusal is about this record alone, and somebody takes such records. */
        boolean isRejected(Exception refused) {
            if (rejects == null || rejectable == null || !Rejects.isOfRecord(refused)) {
                return false;
            }
            rejects.add(rejectable.element, rejectable.record, refused, target, token);
            return true;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception refused) {
            try {
                settle(refused);
            } finally {
                // Last: when none is unanswered, all that was rejected is known.
                unanswered.decrementAndGet();
            }
        }

        private void settle(@Nullable Exception refused) {
            if (refused == null) {
                target.ack(token);
                meter.out(1);
            } else if (refused instanceof TimeoutException timeout && Thread.currentThread() == sender) {
                // Called back by send itself: the record was not taken, which is not the end of it.
                notTaken = timeout;
            } else if (closing) {
                abandoned.incrementAndGet();
            } else if (!isRejected(refused) && failure == null) {
                ProduceException failed = new ProduceException(topic, refused);
                failure = failed;
                context.fail(failed);
            }
        }
    }
}
