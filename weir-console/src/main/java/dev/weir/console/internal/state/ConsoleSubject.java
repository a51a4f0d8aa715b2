package dev.weir.console.internal.state;

import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import java.util.List;
import java.util.Map;

/** A pipeline, benchmark or fleet that a console shows and controls. Thread-safe. */
public interface ConsoleSubject {

    /** The readings of the subject. */
    History history();

    /** The full current state as a line of JSON in UTF-8. Several requests may share the array. Must not be changed. */
    byte[] now();

    /**
     * The metrics of the complete run, condensed to a limited number of points; an empty object if no metrics are
     * stored. Shared like {@link #now}.
     */
    default byte[] trend() {
        return Json.line("{}");
    }

    /** The requested changes, oldest first. */
    List<TimelineEntry> timeline();

    /**
     * Changes settings. This may take a long time.
     *
     * @param by the origin of the request: {@code page} or {@code command}
     */
    ControlReport set(Map<String, String> wanted, String by) throws InterruptedException;
}
