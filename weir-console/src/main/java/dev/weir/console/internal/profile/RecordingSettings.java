package dev.weir.console.internal.profile;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The events of a recording. Immutable. Names and defaults are from {@code jfr metadata} of JDK 25, and from JEP 509
 * for {@code jdk.CPUTimeSample}.
 *
 * @param sampler the event that samples threads
 * @param values the values by event and setting, as {@code jdk.jfr.Recording.setSettings} expects
 */
record RecordingSettings(String sampler, Map<String, String> values) {

    static final String STAGE_RUN = "dev.weir.StageRun";
    static final String CPU_TIME = "jdk.CPUTimeSample";
    static final String CPU_TIME_LOST = "jdk.CPUTimeSamplesLost";
    static final String EXECUTION = "jdk.ExecutionSample";
    static final String ALLOCATION = "jdk.ObjectAllocationSample";

    /** The kind of wait of each event. */
    static final Map<String, String> WAITS = Map.of(
            "jdk.ThreadPark", "park",
            "jdk.JavaMonitorEnter", "monitor",
            "jdk.JavaMonitorWait", "wait",
            "jdk.ThreadSleep", "sleep",
            "jdk.VirtualThreadPinned", "pinned",
            "jdk.SocketRead", "socket",
            "jdk.SocketWrite", "socket",
            "jdk.FileRead", "file",
            "jdk.FileWrite", "file",
            "jdk.FileForce", "file");

    private static final String LEAST_WAIT = "1 ms";

    /** Maximum rate of allocation samples, each with a stack. As in the JDK's settings for continuous recordings. */
    private static final String ALLOCATIONS = "150/s";

    /**
     * Creates the settings.
     *
     * @param cpuTime true to sample by CPU time, false to sample by wall-clock time
     * @param period the time between two samples of a thread
     */
    static RecordingSettings of(boolean cpuTime, Duration period) {
        Map<String, String> values = new HashMap<>();
        String every = period.toNanos() / 1_000 + " us";
        enable(values, STAGE_RUN);
        if (cpuTime) {
            enable(values, CPU_TIME);
            enable(values, CPU_TIME_LOST);
            values.put(CPU_TIME + "#throttle", period.toNanos() / 1_000 + "us");
        } else {
            enable(values, EXECUTION);
            values.put(EXECUTION + "#period", every);
        }
        enable(values, ALLOCATION);
        values.put(ALLOCATION + "#throttle", ALLOCATIONS);
        values.put(ALLOCATION + "#stackTrace", "true");
        for (String wait : WAITS.keySet()) {
            enable(values, wait);
            values.put(wait + "#threshold", LEAST_WAIT);
            values.put(wait + "#stackTrace", "true");
        }
        return new RecordingSettings(cpuTime ? CPU_TIME : EXECUTION, Map.copyOf(values));
    }

    private static void enable(Map<String, String> values, String event) {
        values.put(event + "#enabled", "true");
    }

    /** Returns the settings in the JDK's file format ({@code .jfc}). */
    String toXml() {
        StringBuilder xml = new StringBuilder("""
                <?xml version="1.0" encoding="UTF-8"?>
                <configuration version="2.0" label="weir profile" provider="Weir">
                """);
        Map<String, Map<String, String>> events = new TreeMap<>();
        values.forEach((name, value) -> {
            int hash = name.indexOf('#');
            events.computeIfAbsent(name.substring(0, hash), event -> new TreeMap<>())
                    .put(name.substring(hash + 1), value);
        });
        events.forEach((event, settings) -> {
            xml.append("  <event name=\"").append(event).append("\">\n");
            settings.forEach((name, value) -> xml.append("    <setting name=\"")
                    .append(name)
                    .append("\">")
                    .append(value)
                    .append("</setting>\n"));
            xml.append("  </event>\n");
        });
        return xml.append("</configuration>\n").toString();
    }
}
