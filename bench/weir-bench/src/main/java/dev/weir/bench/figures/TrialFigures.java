package dev.weir.bench.figures;

/**
 * The resource use and latency of a trial. Immutable. Unknown figures are NaN.
 *
 * @param latencyMillis latency at the target's percentile
 * @param driverCores number of processors that all members together kept busy
 * @param brokerCores number of processors that all brokers together kept busy
 * @param hostBusyShare fraction of all processors that was busy for any reason, from 0 to 1
 * @param handlerMillis mean time for which a handler blocked
 * @param handlersBusyShare mean number of blocked handlers as a fraction of {@code handlers}, from 0 to 1
 * @param handlers number of handlers that may block at a time; 0 if handlers do not block
 * @param locksHeldShare acquisition locks held by a share group in the partition with the most locks, as a fraction of
 *     the group's limit, from 0 to 1
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
