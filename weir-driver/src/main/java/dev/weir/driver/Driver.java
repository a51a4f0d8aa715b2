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
     * Suffix of a driver's name that makes it run without the workload's settings of Kafka clients and of records in
     * flight: {@code weir-defaults} is {@code weir} with its own settings.
     */
    String OWN_DEFAULTS = "-defaults";

    /** Separator between a driver's name and a library version other than the driver's own: {@code plain@2.4.0}. */
    char VERSION = '@';

    /** The driver's name in its module, without {@link #OWN_DEFAULTS} and without a version. */
    static String baseName(String name) {
        int at = name.indexOf(VERSION);
        return withoutDefaults(at < 0 ? name : name.substring(0, at));
    }

    /** The library version requested by a name; empty for the driver's own. */
    static String version(String name) {
        int at = name.indexOf(VERSION);
        return at < 0 ? "" : withoutDefaults(name.substring(at + 1));
    }

    /** Returns whether the driver of that name runs with its library's defaults: the name has {@link #OWN_DEFAULTS}. */
    static boolean hasOwnDefaults(String name) {
        int at = name.indexOf(VERSION);
        return name.endsWith(OWN_DEFAULTS) || (at >= 0 && name.substring(0, at).endsWith(OWN_DEFAULTS));
    }

    private static String withoutDefaults(String name) {
        return name.endsWith(OWN_DEFAULTS) ? name.substring(0, name.length() - OWN_DEFAULTS.length()) : name;
    }

    /** The scenarios it can run. */
    Set<Scenario> scenarios();

    /** The optional features it has. */
    default Set<Feature> features() {
        return Set.of();
    }

    /** The kind of consumer group that it uses. */
    default GroupType groupType() {
        return GroupType.CONSUMER;
    }

    /**
     * Does one pass and returns when {@link Pass#isDone()}, after closing everything that it opened. Each record is
     * reported to the pass when the library has handed it to user code; for {@link Scenario#PRODUCE}, when it is
     * acknowledged.
     */
    void run(Pass pass) throws Exception;
}
