package planted.kafka.internal.thither;

import planted.kafka.internal.hither.Hither;

/** The other half. */
public class Thither {
    Class<?> back = Hither.class;
}
