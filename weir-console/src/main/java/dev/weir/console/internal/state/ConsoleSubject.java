package dev.weir.console.internal.state;

import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import java.util.List;
import java.util.Map;

/** A pipeline, or a run that can be changed, as a console shows and steers it. Thread-safe. */
public interface ConsoleSubject {

    /** The looks at it. */
    History history();

    /** The state of this moment, in full. */
    String now();

    /** The figures of the whole run, in few points; an empty object if they are not kept. */
    default String trend() {
        return "{}";
    }

    /** The changes that were asked for, oldest first. */
    List<TimelineEntry> timeline();

    /**
     * Changes it, however long that takes.
     *
     * @param by who asks: {@code page} or {@code command}
     */
    ControlReport set(Map<String, String> wanted, String by) throws InterruptedException;
}
