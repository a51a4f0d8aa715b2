package dev.weir.stream.spi;

/**
 * Creates the running stage of an operator, once for each run and each substream. Called on the thread that starts the
 * stream.
 *
 * <p>The stage has these obligations:
 *
 * <ul>
 *   <li>It pulls {@code upstream} on the thread that pulls the stage, with the deadline of that pull or an earlier one.
 *       It closes {@code upstream} when the stage is closed or ends by itself.
 *   <li>It owns the batches that it has pulled. Each element is either passed on with its target and token, or
 *       acknowledged exactly once when the stage is done with it. An element that becomes several must be retained
 *       first ({@link AckTarget#retain}). Elements that the stage holds at a failure, an interrupt or a close must be
 *       abandoned ({@link Batch#abandonFrom}).
 *   <li>An empty batch from upstream means that no element arrived before the deadline; the stage then returns an empty
 *       batch too.
 *   <li>An upstream failure is rethrown after the elements that preceded it.
 *   <li>It updates {@link StageContext#meter} once per batch.
 * </ul>
 */
@FunctionalInterface
public interface OperatorFactory<T, R> {

    Stage<R> create(Stage<T> upstream, StageContext context);
}
