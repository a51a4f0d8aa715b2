package dev.weir.stream.spi;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * A JDK flight recorder event at the end of a thread's work on a batch in a stage. Emitted only if a recording enables
 * it. Profiles use these events to assign samples to stages; see ADR 76.
 */
@Name("dev.weir.StageRun")
@Label("Stage Run")
@Description("A thread has worked on a batch in a stage of a Weir pipeline; the event marks the end of that work")
@Category("Weir")
@Enabled(false)
@StackTrace(false)
final class StageRun extends Event {

    /** Never committed; shows whether the event is enabled in a recording. */
    private static final StageRun ANY = new StageRun();

    @Label("Pipeline")
    String pipeline = "";

    @Label("Stage")
    String stage = "";

    @Label("Maps")
    @Description("The maps that took each element in the same pass, the lowest first, a line for each")
    String maps = "";

    @Label("Work")
    @Timespan(Timespan.NANOSECONDS)
    long nanos;

    /** Loads this class, which registers the event with the flight recorder. */
    static void makeKnown() {}

    static void note(String pipeline, String stage, String maps, long nanos) {
        if (ANY.isEnabled()) {
            StageRun run = new StageRun();
            run.pipeline = pipeline;
            run.stage = stage;
            run.maps = maps;
            run.nanos = nanos;
            run.commit();
        }
    }
}
