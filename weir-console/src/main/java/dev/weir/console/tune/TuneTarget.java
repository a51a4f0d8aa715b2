package dev.weir.console.tune;

import dev.weir.console.ControlReport;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.Map;

/**
 * The running pipeline that a {@link Tuner} tunes. The pipeline may run in this process or in another one. Confined to
 * the tuning thread.
 *
 * @see Tuner#run(RunningPipeline, java.util.function.Consumer)
 */
public interface TuneTarget {

    /** Reads the current state of the pipeline. */
    TuneReading read() throws InterruptedException;

    /**
     * Changes controls, as {@link dev.weir.console.ConsoleServer#set} does.
     *
     * @param settings the new values by key
     */
    ControlReport set(Map<String, String> settings) throws InterruptedException;

    /** Waits for {@code time} while the pipeline runs. */
    void await(Duration time) throws InterruptedException;
}
