package dev.weir.kafka.internal.handler;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.out.client.ClientInterrupts;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes failed records to the topics that their {@link FailureRoute} chooses. Confined to the stage's thread. The
 * producer is closed at the end of the run.
 */
public final class FailedRecordForwarder implements DeadLetterHandle {

    private static final Logger LOG = LoggerFactory.getLogger(FailedRecordForwarder.class);

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final PatientWriter writer;
    private final StageContext context;

    private final AtomicLong written = new AtomicLong();
    private final AtomicLong cut = new AtomicLong();

    FailedRecordForwarder(PatientWriter writer, StageContext context) {
        this.writer = writer;
        this.context = context;
    }

    /** Creates a forwarder for a run that writes dead-letter records. */
    public static FailedRecordForwarder create(DeadLetterTopic deadLetterTopic, StageContext context) {
        return create(
                deadLetterTopic.settings(),
                List.of(deadLetterTopic.topic()),
                new DeadLetterWriter(deadLetterTopic),
                context);
    }

    /** Creates a forwarder that is closed at the end of the run. Throws if a topic does not exist. */
    static FailedRecordForwarder create(
            ProducerSettings<byte[], byte[]> settings, List<String> topics, FailureRoute route, StageContext context) {
        if (route instanceof DeadLetterWriter) { // retry topics are not checked: the flow itself reads them
            TopicCheck.refuseLoop(topics, settings, context);
        }
        TopicCheck.check(settings, topics);
        String owner = "pipeline " + context.pipelineName();
        FailedRecordForwarder forwarder =
                new FailedRecordForwarder(PatientWriter.of(owner, settings, route, context.clock()), context);
        ClientWatch.begin(settings.clientConfig(), forwarder.writer.progress(), context, forwarder::look);
        context.exposeResource(forwarder);
        context.depth(forwarder.writer::inHand);
        context.onTermination(patience -> {
            forwarder.writer.close(CLOSE_PATIENCE);
            if (forwarder.cut() > 1) {
                LOG.warn("{} dead-letter records of this run were cut because they were too large", forwarder.cut());
            }
            return "";
        });
        return forwarder;
    }

    /**
     * Writes the failed records of a batch, and returns when all of them have been acknowledged. If the delivery fails,
     * abandons the records that are not acknowledged yet.
     */
    public void deliver(Batch<FailedRecord> batch) throws InterruptedException {
        List<Pending> all = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            all.add(new Pending(batch.get(i), batch.target(i), batch.token(i)));
        }
        try {
            writer.writeAll(all);
        } catch (InterruptException interrupted) {
            throw ClientInterrupts.unwrapped(interrupted, "stopped while writing failed records");
        } finally {
            Batch<FailedRecord> left = new Batch<>(0);
            for (Pending each : all) {
                if (each.settle()) {
                    left.add(each.failed, each.target, each.token);
                }
            }
            left.abandonAll();
        }
    }

    @Override
    public long written() {
        return written.get();
    }

    @Override
    public long cut() {
        return cut.get();
    }

    @Override
    public int held() {
        return writer.held();
    }

    /** Fails the run if the client can no longer write records. Called by the thread of {@link ClientWatch}. */
    private void look(long nowNanos) {
        KafkaPipelineException broken = writer.look(nowNanos);
        if (broken != null) {
            context.fail(broken);
        }
    }

    private final class Pending extends PatientWriter.PendingRecord {

        private final AckTarget target;
        private final long token;
        private final AtomicBoolean settled = new AtomicBoolean();

        Pending(FailedRecord failed, AckTarget target, long token) {
            super(failed);
            this.target = target;
            this.token = token;
        }

        /** Returns true for the first caller, which must end the pending acknowledgement. */
        boolean settle() {
            return settled.compareAndSet(false, true);
        }

        @Override
        protected void written(ProducerRecord<byte[], byte[]> proposed) {
            written.incrementAndGet();
            if (settle()) {
                target.ack(token); // acknowledged before the warning, because a log backend may throw
            }
            if (proposed.headers().lastHeader(DeadLetterHeaders.CUT) != null && cut.getAndIncrement() == 0) {
                LOG.warn(
                        "pipeline {}: dead-letter records are too large for topic {} and are written without their value, which is"
                                + " lost when its topic deletes it: first for {}, {} bytes; raise max.message.bytes of {}",
                        context.pipelineName(),
                        proposed.topic(),
                        RecordOrigin.of(failed.raw()).place(),
                        Math.max(0, failed.raw().serializedValueSize()),
                        proposed.topic());
            }
        }
    }
}
