package dev.weir.driver;

import java.util.Set;

/**
 * A library under test. All methods are called on the main thread of the driver's process, one after the other.
 *
 * <p>The module of a driver names its main class and its drivers in {@code weir-driver.properties}. The main class
 * calls {@link DriverMain#serve}.
 */
public interface Driver {
    /**
     * Suffix of a driver's name. With this suffix, the library's own settings are used instead of the workload's
     * settings for Kafka clients and for records in flight. For example, {@code weir-defaults} is {@code weir} with
     * Weir's own settings.
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

    /** Returns whether the driver with the given name uses its library's own settings. */
    static boolean hasOwnDefaults(String name) {
        int at = name.indexOf(VERSION);
        return name.endsWith(OWN_DEFAULTS) || (at >= 0 && name.substring(0, at).endsWith(OWN_DEFAULTS));
    }

    private static String withoutDefaults(String name) {
        return name.endsWith(OWN_DEFAULTS) ? name.substring(0, name.length() - OWN_DEFAULTS.length()) : name;
    }

    /** Returns the scenarios that the driver can run. */
    Set<Scenario> scenarios();

    /** Returns the optional features that the library has. */
    default Set<Feature> features() {
        return Set.of();
    }

    /** Returns the kind of consumer group that the driver uses. */
    default GroupType groupType() {
        return GroupType.CONSUMER;
    }

    /**
     * Runs one pass. Returns once {@link Pass#isDone()} is true and everything that the driver opened has been closed.
     * Report each record to the pass when the library hands it to user code or, for {@link Scenario#PRODUCE}, when it
     * is acknowledged.
     */
    void run(Pass pass) throws Exception;
}
