package dev.weir.kafka.internal.out.client;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/**
 * The loop of each sink that writes to Kafka: pulls a batch, sends it, and settles. Subclasses differ in how they send
 * and in when they acknowledge. All methods are confined to the stage's thread.
 */
public abstract class WriteLoop<T> implements SinkLoop<T> {

    private final StageMeter meter;

    protected WriteLoop(StageMeter meter) {
        this.meter = meter;
    }

    @Override
    public final void run(Stage<T> upstream) throws InterruptedException {
        try {
            begin();
            Batch<T> batch;
            while ((batch = upstream.pull(deadlineNanos())) != null) {
                long start = System.nanoTime();
                int count = batch.size();
                send(batch);
                meter.worked(count, 0, start);
                settle();
            }
            finish();
        } catch (InterruptException interrupted) {
            throw ClientInterrupts.unwrapped(interrupted);
        } catch (KafkaException failure) {
            throw explained(failure);
        }
    }

    /** Opens the client, unless the constructor did. Called before the first pull. */
    protected void begin() {}

    /** Returns the deadline of the next pull. At the deadline, a pull returns an empty batch. */
    protected long deadlineNanos() {
        return Stage.NEVER;
    }

    /** Sends the elements of a batch, and may release it. May block. */
    protected abstract void send(Batch<T> batch) throws InterruptedException;

    /** Handles what is due after a batch, for example rejected records or a commit. */
    protected void settle() throws InterruptedException {}

    /** Waits until all records are written or handled by the rule for failed writes. Called once, at the end. */
    protected void finish() throws InterruptedException {}

    /** Returns the exception that ends the run after the client threw {@code failure}. */
    protected RuntimeException explained(KafkaException failure) {
        return failure;
    }
}
