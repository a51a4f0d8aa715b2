package dev.weir.kafka.internal.failure;

import dev.weir.kafka.DeadLetter;
import dev.weir.kafka.DeadLetterHandle;
import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.health.ClientProgress;
import dev.weir.kafka.internal.health.ClientWatch;
import dev.weir.kafka.internal.send.ClientInterrupts;
import dev.weir.kafka.internal.send.ProducerOrigin;
import dev.weir.kafka.internal.send.RefusalSearch;
import dev.weir.kafka.internal.send.ReplaceableProducer;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes failed records to where their route says, and does not come back before the brokers have them. Confined to the
 * segment's thread; its producer is closed after that.
 */
public final class FailedRecordForwarder implements DeadLetterHandle {

    // A batch is written whole, then all answers are waited for: failed records are rare or in heaps, and either way
    // a round trip per batch costs little; in return there is no state beyond the batch.

    private static final Logger LOG = LoggerFactory.getLogger(FailedRecordForwarder.class);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofSeconds(1), Duration.ofSeconds(30));

    /** Proposals beyond which a route has nothing smaller to offer. */
    private static final int MAX_TOO_LARGE = 3;

    /**
     * The client splits a batch that is too large for its topic by its batch size, without end if that is more than the
     * topic takes. So batches are small, and what is larger goes alone.
     */
    private static final int BATCH_BYTES = 16 * 1024;

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final ReplaceableProducer<byte[], byte[]> producer;
    private final FailureRoute route;
    private final StageContext context;
    private final RefusalSearch<Pending> search = new RefusalSearch<>();

    // Written by the segment's thread.
    private volatile long written;

    private volatile long cut;
    private volatile int held;
    private volatile int inHand;

    /** The number of the client that had the last attempt. Of the segment's thread. */
    private int client;

    FailedRecordForwarder(
            Supplier<Producer<byte[], byte[]>> producers,
            FailureRoute route,
            StageContext context,
            ClientProgress progress) {
        this.producer = new ReplaceableProducer<>(producers, false, progress);
        this.route = route;
        this.context = context;
    }

    /** Makes one for a run that writes letters. */
    public static FailedRecordForwarder create(DeadLetters letters, StageContext context) {
        return create(letters.settings(), List.of(letters.topic()), new DeadLetterWriter(letters), context);
    }

    /** Makes one for a run, which closes it; refuses topics that do not exist. */
    static FailedRecordForwarder create(
            ProducerSettings<byte[], byte[]> settings, List<String> topics, FailureRoute route, StageContext context) {
        TopicCheck.check(settings, topics);
        Map<String, Object> config = new HashMap<>(settings.clientConfig());
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        ClientProgress progress = ClientProgress.of(config);
        FailedRecordForwarder forwarder = new FailedRecordForwarder(
                () -> ProducerOrigin.open(
                        settings.producePath(), config, settings.keySerializer(), settings.valueSerializer()),
                route,
                context,
                progress);
        ClientWatch.begin(config, progress, context, forwarder::look);
        context.expose(forwarder);
        context.depth(() -> forwarder.inHand);
        context.onTermination(patience -> {
            forwarder.producer.close(CLOSE_PATIENCE);
            if (forwarder.cut > 1) {
                LOG.warn("{} dead letters of this run were cut because they were too large", forwarder.cut);
            }
            return "";
        });
        return forwarder;
    }

    /**
     * Writes the records of a batch and acknowledges each when the brokers have it; returns when all are. The wait
     * between two attempts is the run's.
     */
    public void deliver(Batch<FailedRecord> batch) throws InterruptedException {
        List<Pending> left = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            left.add(new Pending(batch, i));
        }
        inHand = left.size();
        for (int failures = 0; !left.isEmpty(); ) {
            Exception refusal = attempt(left);
            int before = left.size();
            left.removeIf(pending -> pending.acknowledged);
            written = written + before - left.size();
            inHand = left.size();
            held = refusal == null ? 0 : inHand;
            if (refusal != null) {
                failures++;
                holdUp(refusal, left, failures);
            }
        }
    }

    @Override
    public long written() {
        return written;
    }

    @Override
    public long cut() {
        return cut;
    }

    @Override
    public int held() {
        return held;
    }

    /**
     * Fails the run if the client cannot give the answers that are missing; see {@link ClientWatch},
     * whose thread it is.
     */
    private void look(long nowNanos) {
        KafkaPipelineException broken = producer.look(nowNanos, false, " in pipeline " + context.pipelineName());
        if (broken != null) {
            context.fail(broken);
        }
    }

    /** One attempt at each; returns why one of them failed, if it was not for its size. */
    private @Nullable Exception attempt(List<Pending> all) throws InterruptedException {
        Exception refusal = null;
        try {
            try {
                client = producer.open();
            } catch (KafkaException cannotOpen) {
                if (!producer.hasOpened() || cannotOpen instanceof InterruptException) {
                    throw cannotOpen;
                }
                // What was good once is not a user's mistake: the names of the brokers are not resolved at the moment.
                return cannotOpen;
            }
            int ignored = search.resend(all, new Together());
            for (Pending pending : all) {
                Exception thrown = pending.settle();
                if (thrown != null) {
                    refusal = thrown;
                    // Nothing is to be held up by its neighbour.
                    var unused = search.suspect(pending, thrown);
                }
            }
            return refusal;
        } catch (InterruptException interrupted) {
            throw ClientInterrupts.unwrapped(interrupted, "stopped while writing failed records");
        }
    }

    /** Sends a batch. */
    private final class Together implements RefusalSearch.Way<Pending> {

        @Override
        public boolean send(Pending pending) {
            pending.send();
            return !pending.isLarge || settle();
        }

        @Override
        public boolean settle() {
            producer.flush();
            return true;
        }
    }

    private void holdUp(Exception refusal, List<Pending> left, int failures) throws InterruptedException {
        Duration pause = BACKOFF.after(failures);
        LOG.warn(
                "pipeline {} waits: {} failed records cannot be written to {}; next attempt in {} ms: {}",
                context.pipelineName(),
                left.size(),
                left.getFirst().topic(),
                pause.toMillis(),
                refusal.toString());
        producer.refused(client, refusal, Duration.ZERO);
        context.clock().sleepUntil(context.clock().after(pause.toNanos()));
    }

    /** A failed record on its way. */
    private final class Pending {

        private final Batch<FailedRecord> batch;
        private final int index;
        private int tooLarge;
        private boolean isCut;
        private boolean isLarge;
        private boolean acknowledged;
        private @Nullable Future<?> answer;
        private @Nullable RuntimeException notSent;

        Pending(Batch<FailedRecord> batch, int index) {
            this.batch = batch;
            this.index = index;
        }

        String topic() {
            return proposal().topic();
        }

        private ProducerRecord<byte[], byte[]> proposal() {
            return route.propose(batch.get(index), tooLarge);
        }

        void send() {
            answer = null;
            notSent = null;
            // Not within the try: with nothing to propose the run fails.
            ProducerRecord<byte[], byte[]> proposal = proposal();
            isCut = proposal.headers().lastHeader(DeadLetter.CUT) != null;
            isLarge = bytes(proposal) > BATCH_BYTES / 2;
            try {
                answer = producer.send(proposal, (written, why) -> {});
            } catch (InterruptException interrupted) {
                throw interrupted;
            } catch (RuntimeException refused) {
                notSent = refused;
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
        private void countIfCut() {
            if (!isCut) {
                return;
            }
            if (cut++ == 0) {
                LOG.warn(
                        "pipeline {}: dead letters are too large for topic {} and are written without their value, which is"
                                + " lost when its topic deletes it: first that of {}, {} bytes; raise max.message.bytes of {}",
                        context.pipelineName(),
                        topic(),
                        RecordOrigin.of(batch.get(index).raw()).place(),
                        Math.max(0, batch.get(index).raw().serializedValueSize()),
                        topic());
            }
        }

        private static int bytes(ProducerRecord<byte[], byte[]> record) {
            int bytes = (record.key() == null ? 0 : record.key().length)
                    + (record.value() == null ? 0 : record.value().length);
            for (Header header : record.headers()) {
                bytes += header.key().length() + (header.value() == null ? 0 : header.value().length);
            }
            return bytes;
        }

        /**
         * Acknowledges if the brokers have it; returns why not, unless there is something smaller to be tried at once.
         */
        @Nullable
        Exception settle() throws InterruptedException {
            Exception refused = notSent;
            if (answer != null) {
                try {
                    answer.get();
                    acknowledged = true;
                    countIfCut();
                    batch.ack(index);
                    return null;
                } catch (ExecutionException failed) {
                    refused = failed.getCause() instanceof Exception cause ? cause : failed;
                }
            }
            if (refused instanceof RecordTooLargeException && tooLarge < MAX_TOO_LARGE) {
                tooLarge++;
                return null;
            }
            return refused;
        }
    }
}
