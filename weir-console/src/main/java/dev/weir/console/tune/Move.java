package dev.weir.console.tune;

import java.util.Map;

/**
 * A change to try. Immutable.
 *
 * @param lever identifies the control and the direction; moves with the same lever differ in size
 * @param settings the new values by key
 * @param change readable text without a full stop
 * @param expectedGain the expected factor of the rate; 1 if no gain is expected
 * @param factor size of the change
 * @param saves whether it saves resources, so that it stays unless it is slower
 */
record Move(
        String lever, Map<String, Long> settings, String change, double expectedGain, double factor, boolean saves) {}
