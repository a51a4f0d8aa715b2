package dev.weir.stream.internal.parallel;

import dev.weir.stream.Handler;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Gate;
import org.jspecify.annotations.Nullable;

/**
 * Calls a blocking handler, including retries. Thread-safe without a lock: each worker uses a slot that it has taken
 * from the table.
 */
final class HandlerCalls<T, R> {

    private final Handler<? super T, ? extends R> handler;
    private final @Nullable Gate<T> gate;
    private final SupervisedCall supervised;
    private final ElementTable<T> table;

    /**
     * Creates the calls of one stage.
     *
     * @param gate the gate at which each call waits, or null if there is none
     */
    HandlerCalls(
            Handler<? super T, ? extends R> handler,
            @Nullable Gate<T> gate,
            SupervisedCall supervised,
            ElementTable<T> table) {
        this.handler = handler;
        this.gate = gate;
        this.supervised = supervised;
        this.table = table;
    }

    /**
     * Returns the handler's result for the element in a running slot, or a verdict that has been applied to the
     * element. Blocks as long as the handler does.
     */
    Object callFor(int slot) {
        Object outcome = outcomeFor(slot);
        if (outcome == FailureVerdict.REVOKED) {
            boolean ignored = table.dropIfRevoked(slot);
        } else if (outcome instanceof FailureVerdict verdict) {
            supervised.note(verdict, table.target(slot), table.token(slot), table.value(slot));
            verdict.settle(table.target(slot), table.token(slot));
        }
        return outcome;
    }

    private Object outcomeFor(int slot) {
        T element = table.value(slot);
        try {
            return call(element, slot);
        } catch (Throwable thrown) {
            try {
                return supervised.after(thrown, same -> call(same, slot), element, () -> table.isRevoked(slot));
            } catch (InterruptedException interrupted) {
                return new FailureVerdict(Decision.FAIL, interrupted);
            } catch (VirtualMachineError fatal) {
                return new FailureVerdict(Decision.FAIL, fatal);
            }
        }
    }

    /** Returns the handler's result, or a verdict if the element was revoked at the gate. */
    private Object call(T element, int slot) throws Exception {
        if (gate != null && !gate.enter(element, () -> table.isRevoked(slot))) {
            return FailureVerdict.REVOKED;
        }
        R result = handler.handle(element);
        if (result == null) {
            throw new NullPointerException("the handler of mapBlocking returned null");
        }
        return result;
    }
}
