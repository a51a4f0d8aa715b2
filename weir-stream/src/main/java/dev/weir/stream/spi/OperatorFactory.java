package dev.weir.stream.spi;

/**
 * Makes the running form of an operator, once for each run and each stream within one. Called on the thread that starts
 * the stream.
 *
 * <p>What the stage owes:
 *
 * <ul>
 *   <li>It pulls {@code upstream} on the thread that pulls it, with the deadline it was given or an earlier one, and
 *       closes it when it is closed or ends by itself.
 *   <li>A batch that it pulled is its own. Each element in it goes on with its target and token, or is acknowledged
 *       when the stage is done with it, once. An element that becomes several is retained first
 *       ({@link AckTarget#retain}). Elements in hand at a failure, an interrupt or a close are abandoned
 *       ({@link Batch#abandonFrom}).
 *   <li>An empty batch from above means that nothing came in time: it hands on an empty one.
 *   <li>A failure from above is thrown on, after the elements before it.
 *   <li>It counts with {@link StageContext#meter}, once for a batch.
 * </ul>
 */
@FunctionalInterface
public interface OperatorFactory<T, R> {

    Stage<R> create(Stage<T> upstream, StageContext context);
}
