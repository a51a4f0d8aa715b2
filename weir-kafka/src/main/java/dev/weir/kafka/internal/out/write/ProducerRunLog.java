package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.Thrown;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the run of a producing stage at INFO if its pipeline does not read from Kafka. In other pipelines, the consumer
 * logs the run. Stateless.
 */
public final class ProducerRunLog {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerRunLog.class);

    private ProducerRunLog() {}

    /** Logs the start, and registers {@code end}, which closes the producer. The end is logged after it. */
    public static void follow(ProducePath path, StageContext context, Termination end) {
        if (!context.upstreamHandles(ConsumerHandle.class).isEmpty()
                || !context.upstreamHandles(ShareHandle.class).isEmpty()) {
            context.onTermination(end);
            return;
        }
        LOG.info(
                "pipeline {}: {} writes, sent by {}",
                context.pipelineName(),
                context.stageName(),
                path == ProducePath.LEAN ? "the lean path" : "Kafka's client");
        context.onTermination(patience -> {
            String leftUndone = end.close(patience);
            logEnd(context, leftUndone);
            return leftUndone;
        });
    }

    private static void logEnd(StageContext context, String leftUndone) {
        String left = leftUndone.isEmpty() ? "nothing is left unfinished" : leftUndone;
        Throwable failure = context.failure();
        if (failure == null) {
            LOG.info(
                    "pipeline {}: {} {}; {}",
                    context.pipelineName(),
                    context.stageName(),
                    leftUndone.isEmpty() ? "drained and ended" : "ended",
                    left);
        } else {
            String message = Thrown.message(failure);
            LOG.info(
                    "pipeline {}: {} ended by a failure: {}; {}",
                    context.pipelineName(),
                    context.stageName(),
                    message == null ? Thrown.text(failure) : message,
                    left);
        }
    }
}
