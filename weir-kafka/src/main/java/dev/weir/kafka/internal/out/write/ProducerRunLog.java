package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.Thrown;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs the run of a producing stage. If the pipeline reads from Kafka, the consumer logs the run instead. Stateless.
 */
public final class ProducerRunLog {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerRunLog.class);

    private ProducerRunLog() {}

    /** Logs the start and the end of the run. Calls {@code end}, which closes the producer, before it logs the end. */
    public static void follow(ProducePath path, StageContext context, Termination end) {
        follow(path, context, () -> true, end);
    }

    /**
     * Like {@link #follow(ProducePath, StageContext, Termination)}, for a stage that its downstream stage may end
     * early.
     *
     * @param isDrained whether the stage has passed on its whole input
     */
    static void follow(ProducePath path, StageContext context, BooleanSupplier isDrained, Termination end) {
        if (!context.upstreamHandles(ConsumerHandle.class).isEmpty()
                || !context.upstreamHandles(ShareHandle.class).isEmpty()) {
            context.onTermination(end);
            return;
        }
        // Inner streams log at DEBUG, because a pipeline may start many of them.
        Level level = context.isOfInnerStream() ? Level.DEBUG : Level.INFO;
        // Register before logging: a log backend that throws must not leave the producer open.
        context.onTermination(patience -> {
            String leftUndone = end.close(patience);
            logEnd(level, context, isDrained.getAsBoolean(), leftUndone);
            return leftUndone;
        });
        LOG.atLevel(level)
                .log(
                        "pipeline {}: {} writes, sent by {}",
                        context.pipelineName(),
                        context.stageName(),
                        path == ProducePath.LEAN ? "the lean path" : "Kafka's client");
    }

    /** Logs the end. A log backend that throws must not fail the run or hide unfinished work. */
    private static void logEnd(Level level, StageContext context, boolean isDrained, String leftUndone) {
        try {
            String how = ending(context.failure(), isDrained, leftUndone);
            LOG.atLevel(level).log("pipeline {}: {} {}", context.pipelineName(), context.stageName(), how);
        } catch (RuntimeException | Error inLog) {
            // There is no place to report it.
        }
    }

    /** Returns how the run ended, and what it left unfinished. */
    static String ending(@Nullable Throwable failure, boolean isDrained, String leftUndone) {
        if (failure == null && isDrained && leftUndone.isEmpty()) {
            return "drained and ended; nothing is left unfinished";
        }
        // After a failure, records may be missing that the stage does not count, such as the rejected one.
        String left = leftUndone.isEmpty() ? "" : "; " + leftUndone;
        if (failure == null) {
            return "ended" + left;
        }
        return "ended by a failure: " + Thrown.reason(failure) + left;
    }
}
