package dev.weir.console.tune;

import java.util.Map;

/**
 * A change to try. Immutable.
 *
 * @param lever identifies the control and the direction; moves with the same lever differ in size
 * @param settings the new values by key
 * @param change a readable description without a full stop
 * @param expectedGain the expected growth of the rate, as a factor; 1 if no gain is expected
 * @param factor the nominal size of the change, as a factor
 * @param saves whether the change saves resources, in which case it stays unless it makes the pipeline slower
 */
record Move(
        String lever, Map<String, Long> settings, String change, double expectedGain, double factor, boolean saves) {}
