package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Logs each element, the end, and an upstream failure. Confined to the stage's thread. */
final class LogStage<T> extends InPlaceStage<T, T> {

    private final Logger logger;
    private final Level level;
    private final StageContext context;

    private LogStage(StageWiring<T> wiring, Logger logger, Level level) {
        super(wiring);
        this.logger = logger;
        this.level = level;
        this.context = wiring.context();
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Logger logger, Level level) {
        return StageWiring.node("log", above, wiring -> new LogStage<>(wiring, logger, level));
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            try {
                log(batch.get(i));
            } catch (Throwable thrown) {
                if (after(thrown, this::log, batch, kept, i) instanceof FailureVerdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
            }
            batch.move(i, kept++);
        }
        return kept;
    }

    private T log(T element) {
        if (logger.isLoggable(level)) {
            logger.log(level, "{0} {1}: {2}", context.pipelineName(), context.stageName(), String.valueOf(element));
        }
        return element;
    }

    @Override
    @Nullable
    Batch<T> last() {
        logger.log(level, "{0} {1}: end", context.pipelineName(), context.stageName());
        return null;
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        try {
            return super.pull(deadlineNanos);
        } catch (RuntimeException | Error failure) {
            logFailure(failure);
            throw failure;
        }
    }

    /** Logs a failure of the stream. An exception of the logger is added to the failure as suppressed. */
    private void logFailure(Throwable failure) {
        try {
            logger.log(Level.ERROR, context.pipelineName() + " " + context.stageName() + ": failed", failure);
        } catch (RuntimeException | Error inLogger) {
            if (inLogger != failure) {
                failure.addSuppressed(inLogger);
            }
        }
    }
}
