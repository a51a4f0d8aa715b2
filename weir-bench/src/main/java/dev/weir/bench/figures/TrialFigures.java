package dev.weir.bench.figures;

/**
 * The resource use and latency of a trial. Immutable. Unknown figures are NaN.
 *
 * @param latencyMillis the percentile of the target
 * @param driverCores processors that all members together kept busy
 * @param brokerCores the same of all brokers
 * @param hostBusyShare how much of all processors anybody kept busy, from 0 to 1
 * @param handlerMillis how long a handler blocked, by the mean
 * @param handlers that may block at a time; 0 where they do not block
 * @param locksHeldShare how many locks of the fullest partition a share group held, by how many it may, from 0 to 1
 * @param handlersBusyShare how many handlers blocked, by how many may, from 0 to 1
 */
public record TrialFigures(
        double latencyMillis,
        double driverCores,
        double brokerCores,
        double hostBusyShare,
        double handlerMillis,
        double handlersBusyShare,
        int handlers,
        double locksHeldShare) {}
