package dev.weir.driver;

import java.util.Set;

/**
 * A library under test. Its methods are called on the main thread of its process, one after the other.
 *
 * <p>The module of a driver names its main class and its drivers in {@code weir-driver.properties}; that class calls
 * {@link DriverMain#serve}.
 */
public interface Driver {
    /**
     * Ends the name of any driver that is to run without the workload's settings of Kafka clients and of what is in
     * flight: {@code weir-defaults} is {@code weir} with its own.
     */
    String OWN_DEFAULTS = "-defaults";

    /** That name without {@link #OWN_DEFAULTS}. */
    static String withoutDefaults(String name) {
        return name.endsWith(OWN_DEFAULTS) ? name.substring(0, name.length() - OWN_DEFAULTS.length()) : name;
    }

    /** What it can do. */
    Set<Scenario> scenarios();

    /** What it has of what not every library has. */
    default Set<Feature> features() {
        return Set.of();
    }

    /** By which kind of group it reads. */
    default GroupType groupType() {
        return GroupType.CONSUMER;
    }

    /**
     * Does one pass and returns when {@link Pass#isDone()}, having closed all that it opened. Each record is told to
     * the pass when the library has handed it to user code; for {@link Scenario#PRODUCE}, when it is acknowledged.
     */
    void run(Pass pass) throws Exception;
}
