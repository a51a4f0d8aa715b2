package dev.weir.stream.spi;

/**
 * Creates the running stage of an operator, once for each run and each substream. Called on the thread that starts the
 * stream.
 *
 * <p>Obligations of the stage:
 *
 * <ul>
 *   <li>It pulls {@code upstream} on the thread that pulls it, with the deadline it was given or an earlier one, and
 *       closes it when it is closed or ends by itself.
 *   <li>It owns the batches it pulled. Each element passes on with its target and token, or is acknowledged exactly
 *       once when the stage is done with it. An element that becomes several is retained first
 *       ({@link AckTarget#retain}). Elements in hand at a failure, an interrupt or a close are abandoned
 *       ({@link Batch#abandonFrom}).
 *   <li>An empty batch from above means that no element arrived in time; the stage returns an empty one too.
 *   <li>A failure from above is rethrown after the elements before it.
 *   <li>It updates {@link StageContext#meter} once per batch.
 * </ul>
 */
@FunctionalInterface
public interface OperatorFactory<T, R> {

    Stage<R> create(Stage<T> upstream, StageContext context);
}
