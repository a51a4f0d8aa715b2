package dev.weir.stream.spi;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the element at which a stage failed. It is added to the stage's exception as suppressed, so that the stack
 * trace contains its message. The stage's exception remains the failure of the run.
 */
public final class FailedElement extends RuntimeException {

    private static final long serialVersionUID = 1;

    private static final Logger LOG = System.getLogger(FailedElement.class.getName());

    /** Maximum number of notes on one exception. A program may throw the same instance repeatedly. */
    private static final int MAX_NOTES = 8;

    private static final List<ElementDescriber> DESCRIBERS = describers();

    private final String stage;
    private final String place;

    private FailedElement(String stage, String place, String description) {
        super("stage " + stage + " failed at " + place + description, null, false, false);
        this.stage = stage;
        this.place = place;
    }

    private static List<ElementDescriber> describers() {
        try {
            return ServiceLoader.load(ElementDescriber.class, ElementDescriber.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
        } catch (ServiceConfigurationError broken) {
            LOG.log(Level.WARNING, "No failure names the key of its record: " + Thrown.text(broken));
            return List.of();
        }
    }

    /** Name of the stage that failed. */
    public String stage() {
        return stage;
    }

    /** The origin of the element. See {@link AckTarget#placeOf}. */
    public String place() {
        return place;
    }

    /**
     * Adds a note about the failed element to {@code failure} and logs it, if the element's origin is known. Must be
     * called before the element's acknowledgement ends. May be called from any thread.
     *
     * @param stage the stage's name
     * @param element the argument of the stage's function
     */
    public static void note(Throwable failure, String stage, AckTarget target, long token, @Nullable Object element) {
        if (isOfTheRun(failure)) {
            return;
        }
        try {
            String known = target.placeOf(token);
            String place = known.isEmpty() ? place(element) : known;
            if (!place.isEmpty() && !isNoted(failure, place)) {
                FailedElement failed = new FailedElement(stage, place, description(element));
                LOG.log(Level.ERROR, failed.getMessage() + ": " + Thrown.text(failure));
                failure.addSuppressed(failed);
            }
        } catch (RuntimeException | Error unknown) {
            // Keep the original failure. The key's toString, for example, may overflow the stack.
            if (unknown != failure) {
                failure.addSuppressed(unknown);
            }
        }
    }

    private static boolean isOfTheRun(Throwable failure) {
        return failure instanceof InterruptedException
                || failure instanceof CancellationException
                || (failure instanceof CompletionException && Thrown.cause(failure) instanceof InterruptedException);
    }

    /** Returns whether {@code failure} has a note for {@code place} or the maximum number of notes. */
    private static boolean isNoted(Throwable failure, String place) {
        if (failure.getSuppressed().length >= MAX_NOTES) {
            return true;
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            if (suppressed instanceof FailedElement failed && failed.place.equals(place)) {
                return true;
            }
        }
        return false;
    }

    private static String place(@Nullable Object element) {
        if (element != null) {
            for (ElementDescriber describer : DESCRIBERS) {
                String place = describer.place(element);
                if (place != null) {
                    return place;
                }
            }
        }
        return "";
    }

    private static String description(@Nullable Object element) {
        if (element != null) {
            for (ElementDescriber describer : DESCRIBERS) {
                String described = describer.describe(element);
                if (described != null) {
                    return ", " + described;
                }
            }
        }
        return "";
    }
}
