package dev.weir.console.tune;

import java.util.Map;

/**
 * A change that is worth a trial. Immutable.
 *
 * @param lever identifies the control and the direction; moves with one lever differ in how far they go
 * @param settings the new values by key
 * @param change for people, without a full stop
 * @param expectedGain the factor by which the rate should rise; 1 if nothing is promised
 * @param factor how far it goes
 * @param saves whether it needs less, and stays unless it is slower
 */
record Move(
        String lever, Map<String, Long> settings, String change, double expectedGain, double factor, boolean saves) {}
