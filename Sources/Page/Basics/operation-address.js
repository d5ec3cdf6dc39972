/** The address of the job itself among its operations; those inside have their names below it, with slashes between. */
export const rootAddress = "_root";
